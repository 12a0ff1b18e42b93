import { expect, expectEqual } from '../../assert.ts'
import { group } from '../check.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const pathOf = ({ target }: World, what: string) =>
  `/v1/applications/${target.applicationId}/${what}`

/** Matches no tool, so that it opens no case of anyone. */
const rule = {
  name: 'Conformance',
  effect: 'require_review',
  reviewTier: 'high',
  match: { toolNames: ['conformance-no-such-tool'] },
}

async function versionOf(world: World): Promise<number> {
  return Number(granted(await world.admin.get(pathOf(world, 'policy-rules'))).ruleSetVersion)
}

export const ruleChecks = group('rules', 'interface, Policy rules', [
  {
    name: 'versions',
    promise: 'rules are replaced whole, as they were read; another version than the current is 409',
    run: async (world) => {
      const path = pathOf(world, 'policy-rules')
      const before = granted(await world.admin.get(path))
      const ruleSetVersion = Number(before.ruleSetVersion)
      const kept = before.rules as readonly Body[]
      const save = async (seen: number, rules: readonly Body[]) =>
        granted(await world.admin.put(path, { ruleSetVersion: seen, rules }))
      const saved = await save(ruleSetVersion, [...kept, rule])
      const made = (saved.rules as readonly Body[]).at(-1)
      expectEqual(saved.ruleSetVersion, ruleSetVersion + 1, 'ruleSetVersion')
      expectEqual([made?.version, made?.severity, made?.enabled], [1, 'warning', true], 'defaults')
      const stale = await world.admin.put(path, { ruleSetVersion, rules: kept })
      refused(stale, 409, 'version_conflict')
      const changed = { ...made, name: 'Conformance, changed' }
      const again = await save(ruleSetVersion + 1, [...kept, changed])
      const second = (again.rules as readonly Body[]).at(-1)
      expectEqual([second?.ruleId, second?.version], [made?.ruleId, 2], 'the rule that changed')
      await save(ruleSetVersion + 2, kept)
    },
  },
  {
    name: 'conditions',
    promise: 'a condition whose value does not suit its operator is 400, with its pointer',
    run: async (world) => {
      const attributes = [{ key: 'amount', op: 'gt', value: 'much' }]
      const answer = await world.admin.put(pathOf(world, 'policy-rules'), {
        ruleSetVersion: await versionOf(world),
        rules: [{ ...rule, match: { attributes } }],
      })
      refused(answer, 400, 'invalid_request')
      const [error] = answer.body.errors as readonly Body[]
      expectEqual(error?.pointer, '/rules/0/match/attributes/0/value', 'the pointer')
    },
  },
  {
    name: 'redaction',
    promise: 'redaction policies are told as they were saved, each with an id',
    run: async (world) => {
      const path = pathOf(world, 'redaction-policies')
      const kept = granted(await world.admin.get(path)).policies as readonly Body[]
      const policy = { name: 'Conformance', enabled: false, detect: 'iban', action: 'hash' }
      const saved = granted(await world.admin.put(path, { policies: [...kept, policy] }))
      const made = (saved.policies as readonly Body[]).at(-1)
      expectEqual([made?.detect, made?.action, made?.keys], ['iban', 'hash', []], 'the policy')
      expect(/^red_/.test(String(made?.redactionPolicyId)), 'expected an id with red_')
      expectEqual(granted(await world.reviewer.get(path)), saved, 'the policies as they are read')
      granted(await world.admin.put(path, { policies: kept }))
    },
  },
  {
    name: 'rights',
    promise: 'members read rules and scores, administrators alone change rules',
    run: async (world) => {
      for (const what of ['policy-rules', 'redaction-policies', 'ingest-rules', 'scores'])
        granted(await world.reviewer.get(pathOf(world, what)))
      for (const what of ['policy-rules', 'redaction-policies', 'ingest-rules'])
        refused(await world.reviewer.put(pathOf(world, what), {}), 403, 'forbidden')
    },
  },
  {
    name: 'marks',
    promise: 'flags, annotations and reviews of a session that is not there are 404',
    run: async (world) => {
      const session = '/v1/sessions/conformance-no-such-session'
      for (const what of ['flags', 'annotations', 'reviews'])
        refused(await world.reviewer.get(`${session}/${what}`), 404, 'not_found')
      const flag = { flag: 'other' }
      refused(await world.reviewer.post(`${session}/flags`, flag), 404, 'not_found')
      const annotation = { text: 'nothing' }
      refused(await world.reviewer.post(`${session}/annotations`, annotation), 404, 'not_found')
      const review = { decision: 'approved' }
      refused(await world.reviewer.post(`${session}/reviews`, review), 404, 'not_found')
    },
  },
])
