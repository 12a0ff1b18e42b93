import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { exportOf, fresh, sendSpan, sessionPath, spanOf } from '../spans.ts'
import { until } from '../wait.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const pathOf = ({ target }: World, what: string) =>
  `/v1/applications/${target.applicationId}/${what}`

/** Adds rules while a check runs, and answers them as they were saved. */
async function withRules(
  world: World,
  rules: readonly Body[],
  run: (saved: readonly Body[], without: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const path = pathOf(world, 'policy-rules')
  const before = granted(await world.admin.get(path))
  const kept = before.rules as readonly Body[]
  const put = async (all: readonly Body[]) => {
    const { ruleSetVersion } = granted(await world.admin.get(path))
    return granted(await world.admin.put(path, { ruleSetVersion, rules: all }))
  }
  const saved = await put([...kept, ...rules])
  try {
    await run((saved.rules as readonly Body[]).slice(kept.length), async () => {
      await put(kept)
    })
  } finally {
    await put(kept)
  }
}

async function stepOf(world: World, sessionId: string, stepId: string): Promise<Body> {
  return granted(await world.admin.get(sessionPath(world, sessionId, `/steps/${stepId}`)))
}

async function evidenceOf(world: World, sessionId: string): Promise<Body> {
  return granted(await world.admin.get(sessionPath(world, sessionId, '/evidence')))
}

export const policyChecks = group('policies', 'interface, Policy rules; Redaction policies', [
  {
    name: 'require-review',
    promise:
      'a step that a rule matches opens one case without its content, which the rule’s withdrawal cancels',
    needs: ['customerKey'],
    run: async (world) => {
      const tool = fresh('pay')
      const rule = { name: 'Conformance', effect: 'require_review', match: { toolNames: [tool] } }
      await withRules(world, [rule], async ([saved], withdraw) => {
        const checkpoint = { 'countersign.checkpoint.id': fresh('checkpoint') }
        const sent = await sendSpan(world, {
          tool,
          input: 'the whole amount',
          attributes: checkpoint,
        })
        const { sessionId } = sent
        await sendSpan(world, { sessionId, tool, attributes: checkpoint })
        const { reviewCases, policyResults } = await evidenceOf(world, sessionId)
        const [result] = policyResults as readonly Body[]
        const cases = reviewCases as readonly Body[]
        expectEqual(cases.length, 1, 'cases of one checkpoint')
        const id = String(cases[0]?.reviewCaseId)
        expectEqual([result?.ruleId, result?.reviewCaseId], [saved?.ruleId, id], 'rule and case')
        const answer = await world.admin.get(`/v1/review-cases/${id}`)
        const opened = granted(answer)
        expectEqual(
          [opened.state, opened.reasonCategory],
          ['open', 'policy_requires_human_review'],
          'state and reason',
        )
        expect(!answer.text.includes('the whole amount'), 'expected no content in the case')
        const read = granted(await world.admin.get(sent.path))
        expectEqual(read.openReviewCases, 1, 'openReviewCases')
        await withdraw()
        const ended = await until('the case to be cancelled', async () => {
          const found = granted(await world.admin.get(`/v1/review-cases/${id}`))
          return found.state === 'cancelled' ? found : undefined
        })
        expectEqual(ended.cancellationReason, 'policy_rule_withdrawn', 'the reason')
      })
    },
  },
  {
    name: 'deny',
    promise: 'a step that is denied is told with its rule, and flags its session once',
    needs: ['customerKey', 'sink'],
    run: async (world) => {
      const hook = await world.webhook({
        eventTypes: ['compliance.rule_violation', 'session.flagged'],
      })
      const tool = fresh('drop')
      const rule = {
        name: 'No drops',
        effect: 'deny',
        severity: 'critical',
        match: { toolNames: [tool] },
      }
      await withRules(world, [rule], async ([saved]) => {
        const { sessionId, stepId } = await sendSpan(world, { tool })
        await sendSpan(world, { sessionId, tool })
        const told = await hook.first('compliance.rule_violation', ({ event }) => {
          const data = event.data as Body | undefined
          return data?.stepId === stepId
        })
        const data = told.event.data as Body
        expectEqual(
          [data.ruleId, data.severity, data.source],
          [saved?.ruleId, 'critical', 'service'],
          'rule, severity and source',
        )
        const list = granted(await world.admin.get(sessionPath(world, sessionId, '/flags')))
        const [flag] = list.flags as readonly Body[]
        expectEqual(
          [list.totalCount, flag?.flag, flag?.source],
          [1, 'compliance', 'policy'],
          'flags, kind and source',
        )
      })
    },
  },
  {
    name: 'redacts',
    promise: 'what a redaction policy detects is in no answer, and the step says how often',
    needs: ['customerKey'],
    run: async (world) => {
      const path = pathOf(world, 'redaction-policies')
      const kept = granted(await world.admin.get(path)).policies as readonly Body[]
      const policy = { name: 'Conformance', detect: 'email', action: 'mask', fields: ['input'] }
      granted(await world.admin.put(path, { policies: [...kept, policy] }))
      try {
        const input = 'write to someone@example.com today'
        const { sessionId, stepId } = await sendSpan(world, { input })
        const step = await stepOf(world, sessionId, stepId)
        expectEqual(
          [(step.payload as Body).input, step.redactions],
          ['write to [redacted:email] today', 1],
          'content and redactions',
        )
      } finally {
        granted(await world.admin.put(path, { policies: kept }))
      }
    },
  },
  {
    name: 'ingest-rules',
    promise: 'ingest rules name session and subject of spans, and drop attributes',
    needs: ['customerKey'],
    run: async (world) => {
      const path = pathOf(world, 'ingest-rules')
      const { sessionAttribute, subjectAttribute, dropAttributes } = granted(
        await world.admin.get(path),
      )
      const rules = {
        sessionAttribute: 'conformance.run',
        subjectAttribute: 'conformance.person',
        dropAttributes: ['secret.*'],
      }
      const saved = granted(await world.admin.put(path, rules))
      expectEqual(granted(await world.reviewer.get(path)), saved, 'the rules as they are read')
      try {
        const [sessionId, person] = [fresh('run'), fresh('person')]
        const attributes = {
          'conformance.run': sessionId,
          'conformance.person': person,
          'secret.word': 'plugh',
          'plain.word': 'xyzzy',
        }
        const { span, stepId } = spanOf(await world.clock.now(), { attributes })
        granted(await world.backend.post('/v1/ingest/otlp', exportOf(span)))
        const step = await stepOf(world, sessionId, stepId)
        expect(/^sub_/.test(String(step.dataSubjectId)), `got subject ${step.dataSubjectId}`)
        const text = JSON.stringify(step.payload)
        expect(text.includes('xyzzy') && !text.includes('plugh'), `expected one word, got ${text}`)
      } finally {
        granted(await world.admin.put(path, { sessionAttribute, subjectAttribute, dropAttributes }))
      }
    },
  },
  {
    name: 'settings',
    promise:
      'an application’s thresholds are kept until they are replaced, by administrators alone',
    run: async (world) => {
      const path = `/v1/applications/${world.target.applicationId}`
      const before = granted(await world.admin.get(path))
      const settings = { governanceThreshold: 40, qualityThreshold: null }
      refused(await world.reviewer.put(path, { settings }), 403, 'forbidden')
      const saved = granted(await world.admin.put(path, { settings }))
      expectEqual(saved.settings, settings, 'the settings')
      expectEqual(saved.name, before.name, 'the name, which was not named')
      expectEqual(granted(await world.reviewer.get(path)).settings, settings, 'as they are read')
      granted(await world.admin.put(path, { settings: before.settings ?? null }))
    },
  },
  {
    name: 'scores',
    promise: 'the governance of an application follows its completed sessions',
    needs: ['customerKey', 'clock'],
    run: async (world) => {
      const { sessionId, path } = await sendSpan(world)
      await world.clock.advance(62_000)
      await until('the completion', async () =>
        granted(await world.admin.get(path)).status === 'completed' ? true : undefined,
      )
      await world.clock.advance(62_000)
      const scores = await until('the scores', async () => {
        const found = granted(await world.reviewer.get(pathOf(world, 'scores')))
        return Number(found.sessions) > 0 ? found : undefined
      })
      for (const value of [scores.governance, scores.qualityMean])
        expect(Number(value) >= 0 && Number(value) <= 100, `expected 0 to 100, got ${value}`)
      expect(String(scores.scorer) !== '', `expected the name of a scorer after ${sessionId}`)
    },
  },
])
