import type { LocalSetup } from '../local.ts'
import type { DemoOrganization } from '../seed.ts'

/** The settings of the demo receiver's process. */
export function receiverEnvironment(
  setup: LocalSetup,
  organization: Pick<DemoOrganization, 'publicKey' | 'legacySecret' | 'applicationId'>,
): Record<string, string> {
  return {
    RECEIVER_PORT: String(setup.ports.receiver),
    RECEIVER_KEY: organization.publicKey,
    RECEIVER_LEGACY_SECRET: organization.legacySecret,
    RECEIVER_APPLICATION_ID: organization.applicationId,
    RECEIVER_EVENT_INBOX: setup.files.eventInbox,
    RECEIVER_OUTCOME_INBOX: setup.files.outcomeInbox,
    RECEIVER_TLS_KEY_FILE: setup.files.tlsKey,
    RECEIVER_TLS_CERT_FILE: setup.files.tlsCert,
  }
}
