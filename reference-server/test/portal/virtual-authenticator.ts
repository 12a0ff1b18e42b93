import type { CDPSession, Page } from 'playwright-core'

interface VirtualAuthenticator {
  /** Whether its user is verified from now on. */
  verify(isUserVerified: boolean): Promise<void>
  /** How many credentials it holds. */
  held(): Promise<number>
  credentials(): Promise<readonly Credential[]>
}

/** A credential as the browser hands it out. */
interface Credential {
  readonly credentialId: string
  readonly isResidentCredential: boolean
  readonly rpId?: string
  readonly privateKey: string
  readonly userHandle?: string
  readonly signCount: number
}

/** More than an authenticator signs in a test. */
const uses = 100

/**
 * An authenticator in the browser, whose user is there and verified. `device`: of another page, whose credentials it
 * holds too, and has used more often.
 */
export async function virtualAuthenticator(
  page: Page,
  device?: VirtualAuthenticator,
): Promise<VirtualAuthenticator> {
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const verify = async (isUserVerified: boolean) => {
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }
  const credentials = async () =>
    (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  for (const { signCount, ...held } of (await device?.credentials()) ?? []) {
    const credential = { ...held, signCount: signCount + uses }
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
  }
  return { verify, held: async () => (await credentials()).length, credentials }
}
