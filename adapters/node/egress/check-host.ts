import type { EgressPolicy, Target } from './policy.ts'
import type { ResolveName } from './resolve-name.ts'

/** A name with more addresses than this is refused: each must be checked. */
const mostAddresses = 256

export type HostCheck =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | {
      readonly ok: false
      readonly error: 'dns' | 'refused_address'
      /** Names no address: what an internal name resolves to is nobody's business. */
      readonly detail: string
    }

/** Looks the name up once and checks every address; one that may not be dialled refuses them all. */
export async function checkHost(
  target: Target,
  policy: EgressPolicy,
  resolve: ResolveName,
): Promise<HostCheck> {
  if (target.literal) return checkAddresses([target.hostname], policy)
  let addresses: readonly string[]
  try {
    addresses = await resolve(target.hostname)
  } catch (error) {
    return { ok: false, error: 'dns', detail: `the name does not resolve (${codeOf(error)})` }
  }
  if (addresses.length === 0) return { ok: false, error: 'dns', detail: 'the name has no address' }
  return checkAddresses(addresses, policy)
}

function checkAddresses(addresses: readonly string[], policy: EgressPolicy): HostCheck {
  if (addresses.length > mostAddresses)
    return refused(`the name has ${addresses.length} addresses, expected at most ${mostAddresses}`)
  for (const address of addresses) {
    const refusal = policy.refusalOf(address)
    if (refusal !== null) return refused(`the host's address ${refusal}`)
  }
  return { ok: true, addresses: [...new Set(addresses)] }
}

function refused(detail: string): HostCheck {
  return { ok: false, error: 'refused_address', detail }
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'unknown error'
}
