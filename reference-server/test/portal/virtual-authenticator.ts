import type { CDPSession, Page } from 'playwright-core'

interface VirtualAuthenticator {
  /** Whether its user is verified from now on. */
  verify(isUserVerified: boolean): Promise<void>
  /** How many credentials it holds. */
  held(): Promise<number>
}

/** An authenticator in the browser, whose user is there and verified. */
export async function virtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
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
  const held = async () =>
    (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length
  return { verify, held }
}
