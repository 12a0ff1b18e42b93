import type { Intake } from '../../outbox/kind.ts'
import type { Cipher } from '../../ports/cipher.ts'
import type { Observer } from '../../ports/observer.ts'
import type { Random } from '../../ports/random.ts'
import type { EvidenceDeps } from '../deps.ts'
import type { Archives } from '../outputs.ts'

/** What packages are made with. */
export interface PackageDeps extends EvidenceDeps {
  readonly intake: Intake
  readonly cipher: Cipher
  readonly random: Random
  readonly observer: Observer
  /** The portal API's base URL, without a slash at its end; download URLs begin with it. */
  readonly portalUrl: string
  /** Absent where the host makes no archives. */
  readonly archives?: Archives
}
