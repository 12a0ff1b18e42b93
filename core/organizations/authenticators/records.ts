import {
  type CredentialAlgorithm,
  type CredentialKey,
  credentialAlgorithms,
} from '../../base/ports/authenticators.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { type pageIfAny, pageOfWhole, place } from '../../kernel/page.ts'
import {
  flag,
  line,
  type Named,
  name,
  type OutOf,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  time,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { digest } from '../../kernel/usual.ts'
import { orNull, shownBy } from '../../kernel/wrap.ts'

/** What an authenticator is for, never both: what signs a decision can't be asked for at a sign-in. */
export const authenticatorUses = ['signing', 'sign_in'] as const
/** One of `authenticatorUses`. */
export type AuthenticatorUse = (typeof authenticatorUses)[number]

const algorithm: Shape<CredentialAlgorithm> = shownBy(
  stored<CredentialAlgorithm>(),
  (number) => number,
  { type: 'integer', enum: credentialAlgorithms },
)

/** What its member and admins see of an authenticator. */
export const shownAuthenticator = {
  authenticatorId: line(longest.id),
  name: name(longest.label),
  use: oneOf(authenticatorUses),
  /** Unpadded base64url. */
  credentialId: line(longest.credentialId),
  /** COSE: -8 Ed25519, -7 ES256, -257 RS256. */
  algorithm,
  /** Of the model, as the authenticator said it: a UUID. */
  aaguid: line(longest.id),
  /** SHA-256 of the root certificate to which its attestation leads; null: nothing but its own word tells its model. */
  attestedBy: orNull(digest),
  /** It said that it may be copied to other devices. */
  backedUp: flag,
  createdAt: time,
  lastUsedAt: orNull(time),
  revokedAt: orNull(time),
}

/** Authenticators of members. A revoked one stays: decisions that it signed are verified by its key. */
export const authenticators = table({
  name: 'authenticators',
  members: {
    tenantId: line(longest.id),
    memberId: line(longest.id),
    ...shownAuthenticator,
    /** Of the relying party that it was made for. */
    rpId: line(longest.url),
    publicKey: stored<CredentialKey>(),
    /** From when its assertions let fewer signatures do; later where its member becomes an admin. */
    weakensFrom: time,
    /** Of its last use; 0 of one that does not count. */
    signCount: stored<number>('int'),
  },
  key: ['tenantId', 'memberId', 'authenticatorId'],
  // A use changes these alone, and leaves the rest of the row.
  columns: ['lastUsedAt', 'signCount'],
  indexes: { byUse: ['tenantId', 'use', 'authenticatorId'] },
  unique: { credential: { on: ['credentialId'] } },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { keep: 'verifies the decisions that it signed' },
})
/** An authenticator of a member. */
export interface Authenticator extends RowsOf<typeof authenticators.members> {}

/** An authenticator as it is shown. */
export interface AuthenticatorView extends OutsOf<typeof shownAuthenticator> {}
export const authenticatorShape: Named<typeof shownAuthenticator, AuthenticatorView> = object(
  shownAuthenticator,
  'Authenticator',
)

/** Authenticators of one member, revoked ones too. */
export const authenticatorsShape = object(
  { authenticators: listOf(authenticatorShape), ...place },
  'Authenticators',
)

/** The part of a member's authenticators that is asked for. */
export function partOfOwn(
  own: readonly { readonly row: Authenticator }[],
  asked: RowsOf<typeof pageIfAny>,
): OutOf<typeof authenticatorsShape> {
  const { items, place } = pageOfWhole(own, asked)
  return { authenticators: items.map(({ row }) => authenticatorView(row)), ...place }
}

export function authenticatorView(row: Authenticator): AuthenticatorView {
  return showAll(shownAuthenticator, row)
}
