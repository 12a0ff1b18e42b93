import { createHash } from 'node:crypto'
import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type CaseRecord, granted, openingOf, refused, type World } from '../world.ts'
import { acts, done, path } from './acts.ts'

const source = 'interface, Transition table'

/** A step that is recorded takes one sequence number, and a version where the case changes. */
function moved(before: CaseRecord, after: CaseRecord, versions: number, what: string): void {
  expectEqual(
    [after.caseVersion, after.eventSequence],
    [before.caseVersion + versions, before.eventSequence + 1],
    `(caseVersion, eventSequence) after ${what}`,
  )
}

/** Once a case is closed, attempts of its callback take sequence numbers too (rows 10 and 11). */
async function unmoved(world: World, before: CaseRecord, what: string): Promise<void> {
  const now = await world.read(before.reviewCaseId)
  expectEqual(
    [now.caseVersion, now.state, now.decision],
    [before.caseVersion, before.state, before.decision],
    `caseVersion, state, decision after ${what}`,
  )
  if (now.state === 'open')
    expectEqual(now.eventSequence, before.eventSequence, `eventSequence after ${what}`)
}

async function claimed(world: World): Promise<CaseRecord> {
  return done(acts.claim(world, await world.open(), 'reviewer'))
}

export const caseChecks = group('cases', source, [
  {
    name: 'open',
    promise: 'row 1: a case opens at version 1, sequence 1, unassigned, with nothing decided',
    run: async (world) => {
      const seen = await world.open()
      expectEqual(
        [seen.state, seen.caseVersion, seen.eventSequence, seen.decision, seen.assignment],
        ['open', 1, 1, null, null],
        'state, version, sequence, decision, assignment',
      )
      expectEqual(seen.presentationDigest, null, 'the digest before any assignment')
      const { checkpointId } = seen.checkpoint as { readonly checkpointId: string }
      const place = new URLSearchParams({ sessionId: String(seen.sessionId), checkpointId })
      const found = granted(await world.application.get(`/v1/review-cases?${place}`))
      expectEqual(found.reviewCaseId, seen.reviewCaseId, 'the case of the checkpoint')
      expectEqual(
        seen.caseUrl,
        `${world.target.ingest}/v1/review-cases/${seen.reviewCaseId}`,
        'caseUrl',
      )
      const due = Date.parse(String(seen.dueAt)) - Date.parse(String(seen.createdAt))
      const expires = Date.parse(String(seen.expiresAt)) - Date.parse(String(seen.createdAt))
      expectEqual(
        [due, expires],
        [4 * 3_600_000, 24 * 3_600_000],
        'ms to dueAt and expiresAt (high)',
      )
    },
  },
  {
    name: 'open-twice',
    promise: 'the same idempotency key, and the same checkpoint, answer with the same case',
    run: async (world) => {
      const opening = openingOf(`twice-${Date.now()}`)
      const send = (more: object) =>
        world.application.post('/v1/review-cases', { ...opening, ...more })
      const first = await done(send({}))
      expectEqual((await done(send({}))).reviewCaseId, first.reviewCaseId, 'sent again')
      const other = await done(send({ idempotencyKey: `${opening.idempotencyKey}-other` }))
      expectEqual(other.reviewCaseId, first.reviewCaseId, 'the same checkpoint under another key')
      refused(await send({ reviewTier: 'urgent' }), 409, 'idempotency_conflict')
    },
  },
  {
    name: 'claim',
    promise: 'rows 2, 2b, 2c: a claim assigns, once more changes nothing, another’s is refused',
    run: async (world) => {
      const opened = await world.open()
      const mine = await done(acts.claim(world, opened, 'reviewer'))
      moved(opened, mine, 1, 'a claim')
      expectEqual(
        (mine.assignment as { reviewerId?: unknown } | null)?.reviewerId,
        world.reviewerId,
        'the assignee',
      )
      const again = await done(acts.claim(world, mine, 'reviewer'))
      expectEqual(again.eventSequence, mine.eventSequence, 'the sequence after a second claim')
      refused(await acts.claim(world, mine, 'admin'), 409, 'already_assigned')
      await unmoved(world, mine, 'the claim of another')
    },
  },
  {
    name: 'digest',
    promise: 'the digest is the SHA-256 of the canonical JSON of what the assignee is served',
    run: async (world) => {
      const seen = await claimed(world)
      const served = granted(await world.reviewer.get(`/v1/review-cases/${seen.reviewCaseId}`))
      const digest = createHash('sha256').update(canonical(served.presentation)).digest('hex')
      expectEqual(served.presentationDigest, digest, 'presentationDigest')
    },
  },
  {
    name: 'reassign',
    promise: 'row 3: the assignee or an admin moves a case; a pending follow-up decision clears',
    run: async (world) => {
      const mine = await claimed(world)
      refused(await acts.reassign(world, mine, 'reviewer', 'reviewer'), 409)
      const asked = await done(acts.followUp(world, mine, 'reviewer'))
      const theirs = await done(acts.reassign(world, asked, 'reviewer', 'admin'))
      moved(asked, theirs, 1, 'a reassignment')
      expectEqual(theirs.decision, null, 'the decision after it')
      expectEqual((theirs.followUps as readonly unknown[]).length, 1, 'questions in the history')
      const stolen = await acts.reassign(world, theirs, 'reviewer', 'reviewer')
      expect(stolen.status === 403 || stolen.status === 409, `expected 403, got ${stolen.status}`)
      const unknown = await world.admin.post(path(theirs.reviewCaseId, 'reassign'), {
        caseVersion: theirs.caseVersion,
        reviewerId: 'mem_00000000000000000000000000',
      })
      refused(unknown, 409, 'reviewer_not_eligible')
      await unmoved(world, theirs, 'refused reassignments')
    },
  },
  {
    name: 'follow-up',
    promise:
      'rows 4 and 5: a question stays open until the application answers, and is part of what is shown',
    run: async (world) => {
      const mine = await claimed(world)
      refused(await acts.answer(world, mine), 409, 'invalid_transition')
      const asked = await done(acts.followUp(world, mine, 'reviewer'))
      moved(mine, asked, 1, 'a question')
      expectEqual([asked.state, asked.decision], ['open', 'follow_up_required'], 'state, decision')
      const answered = await done(acts.answer(world, asked))
      moved(asked, answered, 1, 'an answer')
      expectEqual(answered.decision, null, 'the decision after the answer')
      expect(
        answered.presentationDigest !== asked.presentationDigest,
        'expected a new digest, for more is shown now',
      )
      const stale = { ...answered, presentationDigest: asked.presentationDigest }
      refused(await acts.decide(world, stale, 'reviewer', 'approved'), 409, 'presentation_changed')
    },
  },
  {
    name: 'decide',
    promise: 'row 6: the assignee decides what they were shown, once',
    run: async (world) => {
      for (const decision of ['approved', 'rejected', 'response_submitted']) {
        const mine = await claimed(world)
        refused(await acts.decide(world, mine, 'admin', decision), 409, 'invalid_transition')
        const decided = await done(acts.decide(world, mine, 'reviewer', decision))
        moved(mine, decided, 1, 'a decision')
        expectEqual([decided.state, decided.decision], ['decided', decision], 'state, decision')
        expectEqual(decided.presentationDigest, mine.presentationDigest, 'the digest as decided')
        refused(
          await acts.decide(world, decided, 'reviewer', 'rejected'),
          409,
          'invalid_transition',
        )
        refused(await acts.cancel(world, decided), 409, 'invalid_transition')
        refused(await acts.claim(world, decided, 'reviewer'), 409, 'invalid_transition')
        await unmoved(world, decided, 'what came too late')
      }
    },
  },
  {
    name: 'unassigned',
    promise: 'nobody decides or asks about a case that is not theirs',
    run: async (world) => {
      const opened = await world.open()
      refused(await acts.decide(world, opened, 'reviewer', 'approved'), 409, 'invalid_transition')
      refused(await acts.followUp(world, opened, 'reviewer'), 409, 'invalid_transition')
      await unmoved(world, opened, 'refused commands')
    },
  },
  {
    name: 'requester',
    promise: 'whoever asked for an action does not review it',
    run: async (world) => {
      const opened = await world.open({ requestedBy: world.reviewerId })
      refused(await acts.claim(world, opened, 'reviewer'), 409, 'requester_cannot_review')
      await unmoved(world, opened, 'the claim of the requester')
    },
  },
  {
    name: 'cancel',
    promise: 'row 7: the application or an admin cancels, for a reason of the group',
    run: async (world) => {
      const opened = await world.open()
      const cancelled = await done(acts.cancel(world, opened))
      moved(opened, cancelled, 1, 'a cancellation')
      expectEqual(
        [cancelled.state, cancelled.decision, cancelled.cancellationReason],
        ['cancelled', 'cancelled', 'end_user_cancelled'],
        'state, decision, reason',
      )
      const byAdmin = await done(acts.cancelByAdmin(world, await world.open()))
      expectEqual(byAdmin.state, 'cancelled', 'the state after an admin cancelled')
      const third = await world.open()
      const wrong = await world.application.post(path(third.reviewCaseId, 'cancel'), {
        reasonCategory: 'claimed',
      })
      refused(wrong, 400)
      await unmoved(world, third, 'a reason of another group')
    },
  },
  {
    name: 'versions',
    promise: 'a stale version is 409 with the current case, a stale If-Match is 412',
    run: async (world) => {
      const mine = await claimed(world)
      const stale = await acts.decide(world, { ...mine, caseVersion: 1 }, 'reviewer', 'approved')
      refused(stale, 409, 'version_conflict')
      const shown = Object.values(stale.body).some(
        (member) =>
          typeof member === 'object' &&
          member !== null &&
          Reflect.get(member, 'reviewCaseId') === mine.reviewCaseId &&
          Reflect.get(member, 'caseVersion') === mine.caseVersion,
      )
      expect(shown, `expected the current case in the answer, got ${stale.text}`)
      const body = { presentationDigest: mine.presentationDigest, decision: 'approved' }
      const decide = (tag: string) =>
        world.reviewer.post(path(mine.reviewCaseId, 'decide'), body, { 'if-match': tag })
      refused(await decide('"1.1"'), 412)
      const read = await world.reviewer.get(`/v1/review-cases/${mine.reviewCaseId}`)
      expectEqual(read.headers.etag, `"${mine.caseVersion}.${mine.eventSequence}"`, 'the ETag')
      expectEqual((await done(decide(String(read.headers.etag)))).state, 'decided', 'the state')
    },
  },
  {
    name: 'continuation',
    promise: 'row 13: the application reports once what it did; remained_paused may be followed',
    run: async (world) => {
      const open = await world.open()
      refused(await acts.report(world, open, 'resumed'), 409, 'invalid_transition')
      const closed = await done(acts.cancel(world, open))
      const outcomeOf = ({ continuation }: CaseRecord) =>
        (continuation as { readonly outcome?: unknown } | null)?.outcome
      const paused = await done(acts.report(world, closed, 'remained_paused'))
      expectEqual(outcomeOf(paused), 'remained_paused', 'the outcome')
      expect(paused.eventSequence > closed.eventSequence, 'expected a step to be recorded')
      const ended = await done(acts.report(world, paused, 'terminated'))
      expectEqual(outcomeOf(ended), 'terminated', 'the outcome')
      expectEqual(ended.caseVersion, closed.caseVersion, 'the version, which no report changes')
      const same = await done(acts.report(world, ended, 'terminated'))
      const steps = (seen: CaseRecord) =>
        (seen.history as readonly { step: string }[]).filter(({ step }) => /continu/.test(step))
      expectEqual(steps(same), steps(ended), 'the history after the same again')
      refused(await acts.report(world, ended, 'resumed'), 409, 'continuation_conflict')
    },
  },
  {
    name: 'race',
    promise: 'of two decisions at once one counts',
    run: async (world) => {
      for (let round = 0; round < 5; round++) {
        const mine = await claimed(world)
        const answers = await Promise.all([
          acts.decide(world, mine, 'reviewer', 'approved'),
          acts.decide(world, mine, 'reviewer', 'rejected'),
          acts.cancel(world, mine),
        ])
        const won = answers.filter(({ status }) => status === 200)
        expectEqual(won.length, 1, 'how many of three terminal commands were granted')
        const now = await world.read(mine.reviewCaseId)
        expectEqual(now.decision, won[0]?.body.decision, 'what is recorded')
        expectEqual(now.caseVersion, mine.caseVersion + 1, 'the version')
      }
    },
  },
])

/** RFC 8785 for what this suite shows: objects, arrays and texts of plain letters. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}
