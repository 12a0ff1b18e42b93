/** An organization's OpenID provider, and the client that it knows this service as. */
export interface ProviderClient {
  /** An https URL: the provider's `issuer`, as its documents say it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What one sign-in is bound to; each is fresh, and known to the browser's own cookie alone. */
export interface SignInSecrets {
  /** Comes back with the answer (RFC 6749 10.12). */
  readonly state: string
  /** Comes back in the ID token (OpenID Connect Core 3.1.2.1). */
  readonly nonce: string
  /** 43 characters at least, whose digest the provider is told (RFC 7636). */
  readonly codeVerifier: string
}

/** Whom a provider says that it signed in. */
export interface ProviderIdentity {
  /** The provider's id of the person (`sub`), unique and never given to another. */
  readonly subject: string
  /** Null where the provider tells none. */
  readonly email: string | null
  /** The provider says that the address is the person's. */
  readonly emailVerified: boolean
  readonly name: string | null
}

/** Why a provider was of no use: it could not be reached or read, or what it answered is not to be believed. */
export interface ProviderFault {
  readonly ok: false
  readonly fault: 'unreachable' | 'refused'
  /** For whoever operates the service. */
  readonly detail: string
}

/** Asks OpenID providers (OpenID Connect Core 1.0, code flow with PKCE), and name servers whose a domain is. */
export interface IdentityProviders {
  /** The address of the provider's page where the browser goes. */
  begin(asked: {
    readonly client: ProviderClient
    readonly redirectUri: string
    readonly secrets: SignInSecrets
    /** An e-mail address that the page may begin with. */
    readonly loginHint: string
  }): Promise<{ readonly ok: true; readonly url: string } | ProviderFault>
  /**
   * Exchanges the code for the identity, once. Refused unless state, issuer, audience, nonce, times and the signature of
   * the ID token are right, by a key that the provider publishes.
   */
  complete(asked: {
    readonly client: ProviderClient
    readonly redirectUri: string
    readonly secrets: SignInSecrets
    /** The query of the address that the provider sent the browser to. */
    readonly query: string
  }): Promise<{ readonly ok: true; readonly identity: ProviderIdentity } | ProviderFault>
  /** TXT records of a domain, each joined to one text; none where it has none. Rejects where no name server answers. */
  texts(domain: string): Promise<readonly string[]>
}
