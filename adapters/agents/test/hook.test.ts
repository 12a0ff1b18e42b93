import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideHook, hookReviews } from '../hook/decide-hook.ts'
import { playedClient } from './played-client.ts'

describe('decideHook', () => {
  it('tells Claude to run what was shown, once', async () => {
    for (const interactive of [true, false]) {
      const { client, decide, cases } = playedClient()
      const input = { command: 'rm -rf build' }
      const ids = { session_id: 's', tool_use_id: 't' }
      const asked = { ...ids, tool_name: 'Bash', tool_input: input, cwd: '/srv/site' }
      const options = { interactive, onProblem: () => {} }
      const decided = async (given: object = asked) => {
        const reviews = hookReviews(client, given, options)
        const { hookSpecificOutput: answer } = await decideHook(reviews, given, options)
        return [answer.permissionDecision, answer.updatedInput]
      }
      assert.deepEqual(await decided(), [interactive ? 'deny' : 'defer', undefined])
      decide('rc_1', 'approved')
      // The same words do something else in another folder.
      assert.deepEqual(await decided({ ...asked, cwd: '/' }), ['deny', undefined])
      assert.deepEqual(await decided(), ['allow', input])
      const shown = cases.get('rc_1')?.presentation
      assert.deepEqual(shown, {
        action: { tool: 'Bash', arguments: input },
        summary: 'In /srv/site',
      })
      assert.deepEqual(await decided(), ['deny', undefined])
    }
  })
})
