/** One mail in plain text. */
export interface Mail {
  /** One address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  /** The same whenever this mail is sent again, such as after a crash. */
  readonly idempotencyKey: string
}

/**
 * Hands mails to whatever delivers them, such as an SMTP relay. Resolves once it is accepted; a rejection is tried
 * again with backoff for 72 hours. Must take a repeated `idempotencyKey` for the same mail where it can.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>
}
