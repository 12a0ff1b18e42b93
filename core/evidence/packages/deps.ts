import type { Cipher } from '../../base/ports/cipher.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Random } from '../../base/ports/random.ts'
import type { Intake } from '../../outbox/kind.ts'
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
