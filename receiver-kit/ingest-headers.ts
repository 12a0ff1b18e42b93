/** The headers that authenticate a call of the ingest host by a customer key. */
export type IngestHeaders = Readonly<Record<'X-API-Key' | 'X-Key-Component', string>>

const compoundForm = /^svc_cust_[a-z0-9-]{3,40}\.([0-9A-Za-z]{12})\.([0-9A-Za-z]{46})$/
const expected =
  'expected a whole customer key (svc_cust_<slug>.<component>.<secret>, as it was shown once)'

/**
 * The headers of a customer key, for an OTLP exporter or a call of one's own. `compound` is the whole key; absent, it
 * is SERVICE_API_KEY of the environment, where the host has one. Throws a TypeError that says what is wrong with the
 * key, and does not show it (interface, Customer key).
 *
 * @example
 * ```ts
 * import { ingestHeaders } from '@countersign/receiver-kit/ingest'
 *
 * const headers = ingestHeaders() // the key in SERVICE_API_KEY
 * await fetch('https://ingest.example.com/v1/ingest/usage', { headers })
 * ```
 */
export function ingestHeaders(compound: string | undefined = environmentKey()): IngestHeaders {
  if (compound === undefined)
    throw new TypeError(`${expected}, given here or as SERVICE_API_KEY; got none`)
  const [, component, secret] = compoundForm.exec(compound) ?? []
  if (component === undefined || secret === undefined)
    throw new TypeError(`${expected}, got ${faultOf(compound)}`)
  return { 'X-API-Key': secret, 'X-Key-Component': component }
}

function faultOf(key: unknown): string {
  if (typeof key !== 'string') return typeof key
  if (key === '') return 'an empty text'
  if (key.trim() !== key) return 'one with white space around it'
  if (key.startsWith('svc_app_')) return 'an application key, which sends no sessions'
  if (!key.startsWith('svc_cust_'))
    return /^[0-9A-Za-z]{46}$/.test(key)
      ? 'its last segment alone'
      : 'one that does not begin with svc_cust_'
  const segments = key.split('.')
  if (segments.length !== 3) return `one of ${segments.length} segments instead of 3`
  const lengths = segments.slice(1).map(({ length }) => length)
  return `one whose slug, component (${lengths[0]} characters, expected 12) or secret (${lengths[1]}, expected 46) is malformed`
}

function environmentKey(): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
  }
  return process?.env?.SERVICE_API_KEY
}
