import type { ExchangeError, OperatorReason } from '@countersign/core/ports'
import type { EgressPolicy, Target } from './policy.ts'
import type { ResolveName } from './resolve-name.ts'

/** A name with more addresses than this is refused: each must be checked. */
const mostAddresses = 256

export type HostCheck =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | {
      readonly ok: false
      readonly error: 'refused_address'
      /** One and the same for every name: neither whether one exists nor what it resolves to is told. */
      readonly detail: string
      readonly operators: OperatorReason
    }

const nameRefused =
  'the host has no address that may be sent to: its name does not resolve, or one of its addresses is not public'

/** Looks the name up once and checks every address; one that may not be dialled refuses them all. */
export async function checkHost(
  target: Target,
  policy: EgressPolicy,
  resolve: ResolveName,
): Promise<HostCheck> {
  if (target.literal) {
    const refusal = policy.refusalOf(target.hostname)
    if (refusal === null) return { ok: true, addresses: [target.hostname] }
    return refused('refused_address', `the host's address ${refusal}`, target)
  }
  let addresses: readonly string[]
  try {
    addresses = await resolve(target.hostname)
  } catch (error) {
    return refused('dns', `the name does not resolve (${codeOf(error)})`, target)
  }
  if (addresses.length === 0) return refused('dns', 'the name has no address', target)
  if (addresses.length > mostAddresses)
    return refused(
      'refused_address',
      `the name has ${addresses.length} addresses, expected at most ${mostAddresses}`,
      target,
    )
  for (const address of addresses) {
    const refusal = policy.refusalOf(address)
    if (refusal !== null) return refused('refused_address', `the name's address ${refusal}`, target)
  }
  return { ok: true, addresses: [...new Set(addresses)] }
}

/** The detail of a literal address is its tenant's to know, for the tenant wrote it. */
export function refused(
  error: ExchangeError,
  detail: string,
  { literal }: Pick<Target, 'literal'>,
): HostCheck {
  return {
    ok: false,
    error: 'refused_address',
    detail: literal ? detail : nameRefused,
    operators: { error, detail },
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'unknown error'
}
