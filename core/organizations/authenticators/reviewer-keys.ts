import type { CredentialAlgorithm } from '../../base/ports/authenticators.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { rowsBy } from '../../kernel/list.ts'
import { object } from '../../kernel/members.ts'
import { list } from '../../kernel/operation.ts'
import { just, line, type Named, type OutsOf, oneOf, time } from '../../kernel/shape.ts'
import { optional, orNull } from '../../kernel/wrap.ts'
import { type Authenticator, authenticators, shownAuthenticator } from './records.ts'

const algorithmNames: Readonly<Record<CredentialAlgorithm, 'EdDSA' | 'ES256' | 'RS256'>> = {
  [-8]: 'EdDSA',
  [-7]: 'ES256',
  [-257]: 'RS256',
}
const coordinate = optional(line(longest.credentialId))

const shown = {
  kty: oneOf(['OKP', 'EC', 'RSA']),
  crv: optional(oneOf(['Ed25519', 'P-256'])),
  x: coordinate,
  y: coordinate,
  n: coordinate,
  e: coordinate,
  alg: oneOf(['EdDSA', 'ES256', 'RS256']),
  use: just('sig'),
  /** The credential's id. */
  kid: shownAuthenticator.credentialId,
  memberId: line(longest.id),
  from: time,
  /** When it was revoked; decisions before it stay signed. */
  until: orNull(time),
}
/** The public key of a reviewer's authenticator (RFC 7517), and whose it is from when until when. */
export interface ReviewerKeyView extends OutsOf<typeof shown> {}
const reviewerKeyShape: Named<typeof shown, ReviewerKeyView> = object(shown, 'ReviewerKey')

/** Keys of the organization's authenticators that sign, or did, for an application to pin; the oldest first. */
export const listReviewerKeys = list({
  name: 'reviewerKeys.list',
  doc: "List the public keys of reviewers' authenticators, revoked ones too",
  by: 'application',
  right: 'readReviewerKeys',
  filter: {},
  items: 'keys',
  item: reviewerKeyShape,
  refuses: [],
  source: ({ by: { tenantId } }) =>
    rowsBy(authenticators, {
      by: 'byUse',
      where: { tenantId, use: 'signing' },
      cursor: 'authenticatorId',
      show: reviewerKeyView,
    }),
})

/** The public key of an authenticator, as applications and evidence get it. */
export function reviewerKeyView(row: Authenticator): ReviewerKeyView {
  const { publicKey, algorithm, credentialId: kid, memberId, createdAt, revokedAt } = row
  const alg = algorithmNames[algorithm]
  const rest = { alg, use: 'sig' as const, kid, memberId, from: createdAt, until: revokedAt }
  return reviewerKeyShape.show({ ...publicKey, ...rest })
}
