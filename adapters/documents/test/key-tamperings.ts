import { chainOf } from './auditor-packs.ts'
import { iso, revokedAt, startedAt, type Tampering } from './signed-decisions.ts'

type Json = Record<string, unknown>

const bare = ({ position: _, previousHash: __, hash: ___, ...text }: Json): Json => text

/** A chained entry moved to another position, behind this hash. */
function movedTo(position: number, previousHash: string, entry: Json): Json {
  const [moved] = chainOf([bare(entry)], previousHash)
  return { ...moved, position }
}

/** The last entry that tells an authenticator, as the log of another organization might: of nothing. */
const ofNothing = (entry: Json): Json => ({ ...bare(entry), action: 'member.invited' })

const { entries: withRevocation = (all: readonly Json[]) => all } = revokedAt(startedAt)
/** Only what the key tells: its enrolment, and no revocation. */
const concealed = (key: Json): Json => ({
  ...key,
  until: null,
  entries: (key.entries as Json[]).slice(0, 1),
})
/** A revocation before the decision whose detail is this. */
const revokedAs =
  (change: Json) =>
  (all: readonly Json[]): readonly Json[] =>
    withRevocation(all).map((entry) =>
      entry.action === 'authenticator.revoked'
        ? { ...entry, detail: { ...(entry.detail as Json), ...change } }
        : entry,
    )

/** What a log tells of keys, and `authenticators.json` does not, or tells from behind the log's end. */
export const keyTamperings: Readonly<Record<string, Tampering>> = {
  'revocation: told by the log alone': { entries: withRevocation, key: concealed },
  'revocation: told by the log alone, as that of a sign-in': {
    entries: revokedAs({ use: 'sign_in' }),
    key: concealed,
  },
  'revocation: told by the log alone, as that of a sign-in by another credential': {
    entries: revokedAs({ use: 'sign_in', credentialId: 'another' }),
    key: concealed,
  },
  'revocation: a later one told first': {
    entries: (all) => {
      const [enrolled = {}, revoked = {}] = withRevocation(all)
      return [enrolled, revoked, { ...revoked, at: iso(startedAt + 86_400_000) }]
    },
    chained: ([enrolled = {}, revoked = {}, again = {}]) => [enrolled, again, revoked],
    key: (key) => ({ ...key, until: iso(startedAt + 86_400_000) }),
  },
  'enrolment: an entry that the log has not': {
    log: (all) => chainOf(all.map((entry) => ({ ...bare(entry), actor: 'staff' }))),
  },
  'enrolment: of a key that is not told': {
    log: (all) => {
      const detail = { memberId: 'mem_2', use: 'signing', credentialId: 'another' }
      const other = { ...bare(all[0] ?? {}), subject: 'auth_2', detail }
      return chainOf([...all.map(bare), other])
    },
  },
  'enrolment: behind the log’s end, of before the pack': {
    chained: (all) => all.map((entry) => movedTo(999, 'ab'.repeat(32), entry)),
    log: (all) => chainOf(all.map(ofNothing)),
  },
  'enrolment: behind an empty log, of before the pack': { log: () => [] },
  'enrolment: behind the log’s end, on another entry than its last': {
    entries: (all) => all.map((entry) => ({ ...entry, at: whileMade })),
    key: (key) => ({ ...key, from: whileMade }),
    chained: (all) => all.map((entry) => movedTo(2, 'ab'.repeat(32), entry)),
    log: (all) => chainOf(all.map(ofNothing)),
    signature: () => null,
  },
}

/** While the pack of a sample is made. */
const whileMade = '2026-03-15T09:29:30.000Z'

/** Logs and keys that fit: what each has alone is of another kind, or later. */
export const fittingKeys: Readonly<Record<string, Tampering>> = {
  'a passkey for sign-ins, which only the log tells': {
    log: (all) => {
      const detail = { memberId: 'mem_2', use: 'sign_in', credentialId: 'another' }
      const other = { ...bare(all[0] ?? {}), subject: 'auth_2', detail }
      return chainOf([
        ...all.map(bare),
        other,
        { ...other, action: 'authenticator.revoked' },
        { ...other, action: 'authenticator.enrolment_allowed', subject: 'mem_2', detail: {} },
      ])
    },
  },
  'a key that was enrolled while the pack was made': {
    entries: (all) =>
      [{ at: iso(startedAt), action: 'member.invited' }, ...all].map((entry) =>
        entry.action === 'member.invited' ? entry : { ...entry, at: whileMade },
      ),
    chained: (all) => all.slice(1),
    key: (key) => ({ ...key, from: whileMade }),
    log: (all) => all.slice(0, 1),
    signature: () => null,
  },
}
