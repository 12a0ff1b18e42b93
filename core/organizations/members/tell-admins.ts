import { get, one } from '../../kernel/ledger/reads.ts'
import type { RefusalCode } from '../../kernel/ledger/refusal.ts'
import type { Unit } from '../../kernel/unit.ts'
import { type Member, members, rosters } from '../access/records.ts'
import { type Counting, countLetter } from './count-letter.ts'

/**
 * What all admins of an organization are told by mail. `asked` is what whoever changes it gives: with `session` they give
 * no more than their session, so that the letters of that kind are bounded. `own`: the subject to whom it is about.
 */
const letters = {
  fewer_signatures: { subject: 'Decisions need fewer signatures', asked: 'assertion' },
  more_signatures: { subject: 'Decisions need more signatures', asked: 'session' },
  more_models: { subject: 'More authenticators may sign decisions', asked: 'assertion' },
  other_models: { subject: 'Which authenticators sign decisions has changed', asked: 'session' },
  sign_in: { subject: 'How members sign in has changed', asked: 'password or assertion' },
  admin_made: { subject: 'A member became an admin', asked: 'session' },
  admin_joined: { subject: 'An invited admin joined', asked: 'session' },
  admin_unmade: {
    subject: 'An admin lost their rights',
    own: 'You are no longer an admin',
    asked: 'session',
  },
  authenticator_added: { subject: 'An admin added an authenticator', asked: 'session' },
  authenticator_revoked: { subject: "An admin's authenticator was revoked", asked: 'session' },
  enrolment_waits: {
    subject: 'A member waits to enrol another authenticator',
    asked: 'session',
  },
} as const
/** A kind of letter to all admins. */
export type AdminLetter = keyof typeof letters

/**
 * Mails all admins of an organization, as they are before the commit, but the one with the address `but`. Of what a
 * session alone changes, no more than `lettersPerHour` letters of a kind are sent within an hour about one member or thing,
 * and `lettersOfKindPerHour` of the kind; the last one says so.
 */
export async function tellAdmins<Code extends RefusalCode>(
  unit: Counting<Code> & Pick<Unit<null, Code>, 'read' | 'mail'>,
  tenantId: string,
  kind: AdminLetter,
  {
    about,
    text,
    but,
  }: { readonly about: string | null; readonly text: string; readonly but?: string },
): Promise<void> {
  const { subject, asked } = letters[kind]
  const end = asked === 'session' ? await countLetter(unit, tenantId, { kind, about }) : ''
  if (end === null) return
  for (const to of await adminMails(unit, tenantId))
    if (to !== but) unit.mail({ to, subject, text: `${text}\n${end}` }, tenantId)
}

/**
 * Mails the one who lost the rights of an admin, counted by whom it is about alone: who floods letters about others hides
 * from nobody what was done to them.
 */
export async function tellWhoLost<Code extends RefusalCode>(
  unit: Counting<Code> & Pick<Unit<null, Code>, 'mail'>,
  { tenantId, memberId, email: to }: Member,
  text: string,
): Promise<void> {
  const { own: subject } = letters.admin_unmade
  const counted = { kind: 'own rights of an admin', about: memberId, inAll: false }
  const end = await countLetter(unit, tenantId, counted)
  if (end !== null) unit.mail({ to, subject, text: `${text}\n${end}` }, tenantId)
}

/** The e-mail addresses of an organization's admins. */
async function adminMails(
  { read }: Pick<Unit<null, never>, 'read'>,
  tenantId: string,
): Promise<readonly string[]> {
  const [found] = await read([get(rosters, [tenantId])])
  const admins = one(rosters, found)?.row.admins ?? []
  const rows = await read(admins.map((memberId) => get(members, [tenantId, memberId])))
  return rows.flatMap((each) => one(members, each)?.row.email ?? [])
}
