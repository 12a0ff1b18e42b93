import type { ExchangeError, OperatorReason } from '@countersign/core/ports'
import type { EgressPolicy, Target } from './policy.ts'
import type { ResolveName } from './resolve-name.ts'

/** Most addresses of a name; every one is checked. */
const mostAddresses = 256

export type HostCheck =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | {
      readonly ok: false
      readonly error: 'refused_address'
      /** The same for every name, so that internal names cannot be probed. */
      readonly detail: string
      readonly operators: OperatorReason
    }

const nameRefused =
  'the host has no address that may be sent to: its name does not resolve, or one of its addresses is not public'

/** Resolves the name once and checks every address; one refused address refuses the name. */
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

/** A literal address may be explained: the tenant wrote it. */
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
