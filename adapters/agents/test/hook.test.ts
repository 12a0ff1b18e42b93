import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideHook, hookReviews } from '../hook/decide-hook.ts'
import { playedClient } from './played-client.ts'

const input = { command: 'rm -rf build' }
const asked = {
  session_id: 's',
  tool_use_id: 't',
  tool_name: 'Bash',
  tool_input: input,
  cwd: '/srv/site',
}

/** A hook as it is started for each call. */
function hooked(defers: boolean) {
  const played = playedClient()
  const options = { defers, onProblem: () => {} }
  const decided = async (given: object = asked) => {
    const reviews = hookReviews(played.client, given, options)
    const { hookSpecificOutput: answer } = await decideHook(reviews, given, options)
    return [answer.permissionDecision, answer.updatedInput]
  }
  return { ...played, decided }
}

describe('decideHook', () => {
  it('tells Claude to run what was shown, once', async () => {
    for (const defers of [false, true]) {
      const { decided, decide, cases } = hooked(defers)
      assert.deepEqual(await decided(), [defers ? 'defer' : 'deny', undefined])
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

  it('denies each call of a turn while people look, and allows it when it is made again', async () => {
    const { decided, decide, cases } = hooked(false)
    // Claude ignores `defer` here, and its own mode would have both run.
    const made = (id: string, command: string) =>
      decided({
        ...asked,
        permission_mode: 'bypassPermissions',
        tool_use_id: id,
        tool_input: { command },
      })
    const turn = [await made('t1', 'rm -rf build'), await made('t2', 'rm -rf src')]
    assert.deepEqual(turn, [
      ['deny', undefined],
      ['deny', undefined],
    ])
    assert.equal(cases.size, 2)
    decide('rc_1', 'approved')
    decide('rc_2', 'rejected')
    assert.deepEqual(await made('t3', 'rm -rf build'), ['allow', input])
    assert.deepEqual(await made('t4', 'rm -rf src'), ['deny', undefined])
    assert.equal(cases.size, 2)
  })
})
