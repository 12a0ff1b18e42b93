import type {
  IdentityProviders,
  ProviderIdentity,
  SignInSecrets,
} from '../base/ports/identity-providers.ts'

/** A provider whose answers a test writes. */
export interface PlainIdentityProviders extends IdentityProviders {
  /** Whom it signs in next; null: it refuses. */
  identity: ProviderIdentity | null
  /** Whether it answers at all. */
  isReached: boolean
  /** TXT records by domain. */
  readonly records: Map<string, readonly string[]>
}

/**
 * A provider at any https issuer that signs in whom it is told, without asking. What it sends a browser back with is
 * `state` and the nonce as `code`; another state or nonce is refused. For tests.
 */
export function plainIdentityProviders(): PlainIdentityProviders {
  const unreachable = { ok: false, fault: 'unreachable', detail: 'no answer' } as const
  const refused = { ok: false, fault: 'refused', detail: 'not to be believed' } as const
  const queryOf = ({ state, nonce }: SignInSecrets) => `?code=${nonce}&state=${state}`
  const plain: PlainIdentityProviders = {
    identity: null,
    isReached: true,
    records: new Map(),
    async begin({ client, secrets }) {
      if (!plain.isReached) return unreachable
      if (!client.issuer.startsWith('https://')) return refused
      return { ok: true, url: `${client.issuer}/authorize${queryOf(secrets)}` }
    },
    async complete({ secrets, query }) {
      if (!plain.isReached) return unreachable
      const { identity } = plain
      return identity && query === queryOf(secrets) ? { ok: true, identity } : refused
    },
    texts: async (domain) => plain.records.get(domain) ?? [],
  }
  return plain
}
