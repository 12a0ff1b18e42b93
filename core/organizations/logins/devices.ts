import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { DeviceClaims } from '../../base/ports/secrets.ts'
import type { AccessDeps } from '../access/deps.ts'
import { emailKeyOf } from '../access/email.ts'
import type { LoginView } from '../access/present.ts'

/** Seconds that a device is known after its last login. */
const deviceSeconds = 180 * 24 * 60 * 60

export interface Devices {
  /** The claims of a device token; null for none, or for one that this service did not issue. */
  recognize(token: string | null | undefined): Promise<DeviceClaims | null>
  /** The claims of the device if its last login was with this e-mail address, else null. */
  returning(login: {
    readonly email: string
    readonly device?: string | null | undefined
  }): Promise<DeviceClaims | null>
  /** Issues a token for the device of a login; a known device keeps its id, and so its throttle. */
  issue(subject: string, known: DeviceClaims | null): Promise<LoginView['device']>
}

/** The hash that stands for an e-mail address in device tokens and in the throttle. */
export function deviceSubject(emailKey: string): string {
  return bytesToHex(sha256(utf8ToBytes(`device of ${emailKey}`)))
}

/** Recognizes devices of earlier logins by a signed token (OWASP, device cookies). */
export function createDevices(ports: AccessDeps): Devices {
  const { clock, random, tokens } = ports
  const recognize: Devices['recognize'] = async (token) =>
    token ? tokens.verifyDevice(token, clock.now()) : null
  return {
    recognize,
    async returning({ email, device }) {
      const known = await recognize(device)
      return known?.subject === deviceSubject(emailKeyOf(email)) ? known : null
    },
    issue: async (subject, known) => {
      const issuedAt = Math.floor(clock.now() / 1000)
      const token = await tokens.issueDevice({
        deviceId: known?.deviceId ?? bytesToHex(random.bytes(16)),
        subject,
        issuedAt,
        expiresAt: issuedAt + deviceSeconds,
      })
      return { token, seconds: deviceSeconds }
    },
  }
}
