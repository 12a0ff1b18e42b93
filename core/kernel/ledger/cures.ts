import type { limitMeanings } from './limits.ts'
import type { RefusalCode } from './refusal.ts'

/** What to do about a limit that is reached, for the person who reads the answer. */
const limitCures: Readonly<Record<keyof typeof limitMeanings, string>> = {
  application_limit: 'Use one that there is; deleted ones count until their purge.',
  webhook_limit: 'Remove a webhook that is not needed, or select more events at one.',
  application_key_limit: 'Revoke a key that no caller uses any more, then issue the new one.',
  too_many_keys: 'Revoke a customer key that no backend uses any more, then issue the new one.',
  alert_rule_limit: 'Remove a rule that is not needed.',
  channel_limit: 'Remove a channel that is not needed.',
  authenticator_limit: 'Revoke an authenticator that is out of use, then enrol the new one.',
  follow_up_limit: 'Decide the case on what it shows, or cancel it.',
  invitation_limit:
    'Withdraw an invitation that is pending; for an address that was mailed often, wait an hour.',
}

/** What helps against each refusal: one sentence for the person who reads it (interface, Errors). */
export const refusalCures: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'Mend what each entry of `errors` points to, and send the request again.',
  invalid_url: 'Give an https URL with a host name and no credentials.',
  refused_address:
    'Give a URL whose host resolves to public addresses alone; who runs the service may allow a subnet.',
  authentication_required:
    'Send a key or session token that is valid: issue a key, or log in again.',
  invalid_credentials: 'Check both, or ask for a reset of the password.',
  account_suspended: 'Ask the staff of the service; the same request works once it is active.',
  forbidden: 'Ask an admin for the role or permission, or use a key that has the right.',
  sandbox_read_only: 'Leave the sandbox: send the request without `X-Service-Sandbox`.',
  not_found: 'Check the id, and that the key or session is of the organization that has it.',
  application_gone: 'Use another application, or cancel the deletion while it is pending.',
  blocked_by_hold: 'Release the legal hold if it has ended, and ask again.',
  not_pending: 'Nothing is to be done: there is no deletion to cancel.',
  purge_started: 'Nothing stops it; create a new application or organization.',
  too_many_attempts: 'Wait for the seconds of `Retry-After`, then log in once.',
  invalid_transition: 'Read the record again and act on the state that it is in now.',
  already_assigned: 'Leave the case to its reviewer, or have it reassigned to you.',
  version_conflict: 'Read what is there now, decide again on that, and send its version.',
  presentation_changed: 'Draw the case again, and decide on the digest of what is shown.',
  case_expired: 'Open a new case if the action is still wanted.',
  requester_cannot_review: 'Have another member review the case.',
  follow_up_pending: 'Wait for the answer, or cancel the case.',
  reviewer_not_eligible: 'Name an active member with `Review Cases`, or grant it first.',
  continuation_conflict: 'Find out which process reported the other outcome; the first one stands.',
  callback_not_configured: "Save an outcome callback at the application's settings first.",
  callback_gone: 'Save another callback URL, then replay.',
  idempotency_conflict: 'Repeat a request unchanged, or give a changed one a key of its own.',
  endpoint_gone: 'Give the webhook another URL, which is then verified.',
  already_rotating:
    'Wait for the seconds of `Retry-After`, until the previous one has ended, or drop a shared secret at once with `force`.',
  not_shared_secret: "Rotate the tenant's signing key instead.",
  ...limitCures,
  signature_required:
    'Sign the challenge with an enrolled authenticator, and send the signature along.',
  signature_invalid: 'Ask for a new challenge and sign it again; `check` says what did not fit.',
  authenticator_cloned:
    'Revoke the authenticator, enrol another, and find out who may have a copy.',
  authenticator_not_allowed:
    "Use an authenticator of the organization's list, or have an admin add its model.",
  authenticator_revoked: 'Enrol an authenticator, or sign with another one.',
  request_pending: 'Wait until the open request is carried out, or cancel it.',
  reveal_expired: 'Ask for a new key, and store its value when it is shown.',
  case_too_large: 'Show less in one case: shorten texts, or refer to documents elsewhere.',
  quota_exceeded: 'Wait for `periodEnd`, or take a larger plan.',
  plan_required: "Take a plan that includes it; the organization's entitlements list what it has.",
  ambiguous_session: 'Send the request again with `applicationId`.',
  not_sealed: 'Ask again after the session has ended and was sealed, within minutes.',
  session_conflict: 'Submit the session under another id, or with the content that it had.',
  merkle_root_mismatch:
    'Compute the root over the sessions as they are sent, in their order, and compare with `computed`.',
  evidence_too_large:
    'Read its steps by the API, and its seal as a proof: no single document holds as much.',
  package_expired: 'Ask for the package anew.',
  last_admin:
    'Make another member a CustomerAdmin first, with a password where the provider is required.',
  already_member: 'Change the role of the member instead.',
  already_invited: 'Withdraw the pending invitation, or wait until it is accepted.',
  email_taken: 'Invite another address: one address belongs to one organization.',
  invitation_expired: 'Ask an admin for a new invitation.',
  busy: 'Send the same request again after the seconds of `Retry-After`.',
  unavailable:
    'Send the same request again, with its idempotency key where `written` is `null`; operators look at `/readyz` and the log.',
}
