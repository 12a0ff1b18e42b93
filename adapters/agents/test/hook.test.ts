import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canUseTool } from '../claude.ts'
import { decideHook, type HookAnswer, hookReviews } from '../hook/decide-hook.ts'
import { createReviews } from '../index.ts'
import { playedClient } from './played-client.ts'

/** What Claude's reference of hooks says that a `PreToolUse` hook may print. */
interface DocumentedOutput {
  hookSpecificOutput?: {
    hookEventName: 'PreToolUse'
    permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer'
    permissionDecisionReason?: string
    updatedInput?: Record<string, unknown>
    additionalContext?: string
  }
}

/** What the reference of the Claude Agent SDK says of its option `canUseTool`. */
type DocumentedCanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID: string; suggestions?: unknown[] },
) => Promise<
  | { behavior: 'allow'; updatedInput?: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean }
>

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

  it('answers with nothing that Claude does not document', async () => {
    const known = ['permissionDecision', 'permissionDecisionReason', 'updatedInput']
    for (const decision of ['approved', 'rejected'] as const) {
      const { client, decide } = playedClient()
      const options = { defers: true, onProblem: () => {} }
      const answered = async (): Promise<HookAnswer> =>
        decideHook(hookReviews(client, asked, options), asked, options)
      const open: DocumentedOutput = await answered()
      decide('rc_1', decision)
      const closed: DocumentedOutput = await answered()
      for (const { hookSpecificOutput, ...rest } of [open, closed]) {
        const { hookEventName, ...members } = hookSpecificOutput ?? assert.fail('no answer')
        assert.deepEqual([hookEventName, rest], ['PreToolUse', {}])
        assert.deepEqual(
          Object.keys(members).filter((each) => !known.includes(each)),
          [],
        )
      }
    }
  })

  it('has a part in the process that answers as the SDK documents it', async () => {
    const { client, decide } = playedClient()
    const reviews = createReviews(client, {
      tools: {},
      onOpen: ({ reviewCaseId, state }) => {
        if (state === 'open') decide(reviewCaseId, 'approved')
      },
    })
    const permits: DocumentedCanUseTool = canUseTool(reviews, { sessionId: 's' })
    const given = { signal: new AbortController().signal, toolUseID: 't', suggestions: [] }
    assert.deepEqual(await permits('Bash', input, given), {
      behavior: 'allow',
      updatedInput: input,
    })
    const { behavior } = await permits('Bash', input, given)
    assert.equal(behavior, 'deny')
  })
})
