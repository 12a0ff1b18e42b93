import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { sendSpan, sessionPath, submit, wholeSession } from '../spans.ts'
import { type Body, granted, refused } from '../world.ts'

export const markChecks = group('marks', 'interface, Marks of sessions', [
  {
    name: 'flags',
    promise: 'a flag is open once of its kind, is told without its note, and is cleared once',
    needs: ['customerKey', 'sink'],
    run: async (world) => {
      const hook = await world.webhook({ eventTypes: ['session.flagged'] })
      const { sessionId, path } = await sendSpan(world)
      const flags = sessionPath(world, sessionId, '/flags')
      const body = { flag: 'safety', severity: 'critical', note: 'a note of the suite' }
      const raised = granted(await world.reviewer.post(flags, body))
      const { flagId } = raised
      expectEqual([raised.source, raised.clearedAt], ['member', null], 'source and clearedAt')
      const again = granted(await world.admin.post(flags, body))
      expectEqual(again.flagId, flagId, 'the open flag of that kind')
      const told = await hook.first('session.flagged', ({ event }) => {
        return (event.data as Body | undefined)?.flagId === flagId
      })
      expect(!told.body.includes('a note of the suite'), 'expected no note in the event')
      expectEqual(granted(await world.reviewer.get(path)).openFlags, 1, 'openFlags')
      const list = granted(await world.reviewer.get(flags))
      expectEqual((list.flags as readonly Body[])[0], raised, 'the flag in the list')
      const one = sessionPath(world, sessionId, `/flags/${String(flagId)}`)
      const cleared = granted(await world.reviewer.ask({ method: 'DELETE', path: one }))
      expectEqual(cleared.clearedBy, world.reviewerId, 'clearedBy')
      expectEqual(
        granted(await world.reviewer.ask({ method: 'DELETE', path: one })),
        cleared,
        'a second clearing',
      )
      expectEqual(granted(await world.reviewer.get(path)).openFlags, 0, 'openFlags')
      expectEqual(
        hook.came.filter(({ event }) => event.type === 'session.flagged').length,
        1,
        'events',
      )
      refused(await world.reviewer.post(flags, { flag: 'strange' }), 400)
    },
  },
  {
    name: 'annotations',
    promise: 'an annotation names its step and author, and is removed by its author or an admin',
    needs: ['customerKey'],
    run: async (world) => {
      const { sessionId, stepId } = await sendSpan(world)
      const path = sessionPath(world, sessionId, '/annotations')
      const body = { text: 'looks right', stepId, label: 'seen' }
      const made = granted(await world.admin.post(path, body))
      expectEqual(
        [made.text, made.stepId, made.label, made.createdBy],
        [body.text, stepId, body.label, world.adminId],
        'text, step, label and author',
      )
      const list = granted(await world.reviewer.get(path))
      expectEqual(list.annotations, [made], 'the annotations')
      const one = sessionPath(world, sessionId, `/annotations/${String(made.annotationId)}`)
      refused(await world.reviewer.ask({ method: 'DELETE', path: one }), 403, 'forbidden')
      granted(await world.admin.ask({ method: 'DELETE', path: one }))
      expectEqual(granted(await world.reviewer.get(path)).annotations, [], 'what is left')
      refused(await world.admin.post(path, { text: 'x', stepId: 'none' }), 400)
      refused(await world.admin.post(path, { text: '' }), 400)
    },
  },
  {
    name: 'reviews',
    promise:
      'a completed session is reviewed in its revision, by name, and told; a running one is not',
    needs: ['customerKey', 'sink'],
    run: async (world) => {
      const types = ['session.review.approved', 'session.review.rejected']
      const hook = await world.webhook({ eventTypes: types })
      const session = wholeSession(await world.clock.now())
      await submit(world, session)
      const id = String(session.sessionId)
      const path = sessionPath(world, id, '/reviews')
      const body = { decision: 'rejected', comment: 'a comment of the suite' }
      const made = granted(await world.reviewer.post(path, body))
      expectEqual([made.revision, made.reviewerId], [1, world.reviewerId], 'revision and reviewer')
      expect(String(made.reviewerName) !== '', 'expected the name of the reviewer')
      const told = await hook.first('session.review.rejected', ({ event }) => {
        return (event.data as Body | undefined)?.sessionReviewId === made.sessionReviewId
      })
      expectEqual(told.event.type, 'session.review.rejected', 'the type of the event')
      expect(!told.body.includes('a comment of the suite'), 'expected no comment in the event')
      const read = granted(await world.reviewer.get(sessionPath(world, id)))
      expectEqual(read.reviewState, 'rejected', 'reviewState')
      const later = granted(await world.reviewer.post(path, { decision: 'approved' }))
      const list = granted(await world.reviewer.get(path))
      const rows = list.sessionReviews as readonly Body[]
      expectEqual(list.totalCount, 2, 'reviews')
      expectEqual(
        rows.map((row) => [row.sessionReviewId, row.decision, row.reviewerId]),
        [
          [later.sessionReviewId, 'approved', world.reviewerId],
          [made.sessionReviewId, 'rejected', world.reviewerId],
        ],
        'the reviews, the latest first',
      )
      await hook.first('session.review.approved', ({ event }) => {
        return (event.data as Body | undefined)?.sessionReviewId === later.sessionReviewId
      })
      const running = await sendSpan(world)
      const early = sessionPath(world, running.sessionId, '/reviews')
      refused(await world.reviewer.post(early, body), 409, 'invalid_transition')
    },
  },
])
