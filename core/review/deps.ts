import type { Authenticators } from '../base/ports/authenticators.ts'
import type { Cipher } from '../base/ports/cipher.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Vault } from '../content/vault/vault.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { Post } from '../kernel/mail/post.ts'
import type { Query } from '../kernel/query.ts'
import type { IssuerKeys } from '../keys/issuer-keys.ts'
import type { RelyingParty } from '../organizations/authenticators/relying-party.ts'
import type { Intake } from '../outbox/kind.ts'
import type { Primitives } from '../proof/signing/primitives.ts'
import type { ReviewCase } from './records.ts'

/** The id under which openings find a case, which stands for the one that a caller gives. */
export type CheckpointIds = (
  owner: Pick<ReviewCase, 'tenantId' | 'applicationId'>,
  checkpointId: string,
) => Query<string>

/** What a decision on a case needs of the host, once the store has been read. */
export interface ReviewHost {
  /** The ingest API's base URL, without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
  readonly intake: Intake
  readonly sealer: Sealer
  /** Absent: checkpoint ids of openings stay as they are. */
  readonly checkpoints?: CheckpointIds
  /** Absent: nobody is told by mail of cases that open. */
  readonly post?: Pick<Post, 'sends'>
}

/** What a decision needs besides. */
export interface DecidingHost extends ReviewHost {
  readonly relyingParty: RelyingParty
  readonly authenticators?: Authenticators
  readonly primitives: Primitives
}

/** What an opening needs besides. */
export interface OpeningHost extends ReviewHost {
  /** Of whom cases are about. */
  readonly vault: Pick<Vault, 'pseudonyms'>
}

/** Dependencies of the room: the host's and those of other rooms. */
export interface ReviewDeps extends ReviewHost {
  readonly ledger: Ledger
}

/** Dependencies of the callback kind. */
export interface CallbackDeps extends ReviewDeps {
  readonly keys: Pick<IssuerKeys, 'signers'>
  readonly primitives: Primitives
  readonly cipher: Cipher
}
