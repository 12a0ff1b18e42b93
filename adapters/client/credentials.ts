const compound = /^svc_cust_[a-z0-9-]+\.([0-9A-Za-z]+)\.([0-9A-Za-z]+)$/
const single = /^[0-9A-Za-z_]+$/

/**
 * The headers of an application key (`svc_app_…`) or of a customer key, whole or its last segment alone. Throws a
 * TypeError for anything else; the message does not show it.
 */
export function ingestHeaders(key: string): Readonly<Record<string, string>> {
  const [, component, secret] = compound.exec(key) ?? []
  if (component !== undefined && secret !== undefined)
    return { 'x-api-key': secret, 'x-key-component': component }
  if (single.test(key)) return { 'x-api-key': key }
  throw new TypeError(
    'apiKey: expected an application key (svc_app_…) or a customer key (svc_cust_….….…)',
  )
}

/** SERVICE_API_KEY of the environment, where there is one. */
export function environmentKey(): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Record<string, string | undefined> }
  }
  return process?.env?.SERVICE_API_KEY
}

/** The origin that a client calls. Throws a TypeError unless it is https, or http on loopback. */
export function originOf(name: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const loopback =
    parsed !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
  const secure = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && loopback)
  // Not by its parts: user, password, path, query and fragment would each be one to forget.
  if (!parsed || !secure || parsed.href !== `${parsed.origin}/`)
    throw new TypeError(
      `${name}: expected an https origin (http on loopback), such as https://ingest.example.com`,
    )
  return parsed.origin
}

/** Throws a TypeError for what can't be a session token; the message does not show it. */
export function checkToken(token: string | undefined): void {
  if (token !== undefined && !/^[\w.~+/=-]+$/.test(token))
    throw new TypeError('token: expected a session token, as the answer of a login has it')
}
