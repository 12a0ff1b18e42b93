import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideHook, hookReviews } from '../hook/decide-hook.ts'
import { playedClient } from './played-client.ts'

describe('decideHook', () => {
  it('tells Claude to run what was shown, once', async () => {
    for (const interactive of [true, false]) {
      const { client, decide, cases } = playedClient()
      const reviews = hookReviews(client, { interactive, onProblem: () => {} })
      const input = { command: 'rm -rf build' }
      const asked = { session_id: 's', tool_use_id: 't', tool_name: 'Bash', tool_input: input }
      const decided = async () => {
        const { hookSpecificOutput: answer } = await decideHook(reviews, asked, { interactive })
        return [answer.permissionDecision, answer.updatedInput]
      }
      assert.deepEqual(await decided(), [interactive ? 'deny' : 'defer', undefined])
      decide('rc_1', 'approved')
      assert.deepEqual(await decided(), ['allow', input])
      const shown = cases.get('rc_1')?.presentation
      assert.deepEqual(shown, { action: { tool: 'Bash', arguments: input } })
      assert.deepEqual(await decided(), ['deny', undefined])
    }
  })
})
