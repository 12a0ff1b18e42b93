import type { Scripted } from '@countersign/reference-server/reviewed'
import { canUseTool } from '../../claude.ts'
import { decideHook } from '../../hook/decide-hook.ts'
import { type Entries, messageOf, payment, type Run } from './play.ts'

/** No framework: a loop that calls the guarded function. */
const plain: Run = async ({ reviews, sessionId, calls, pay }) => {
  const transfer = reviews.guard('transfer', pay, (_, callId: string) => ({ sessionId, callId }))
  const done = calls.map(({ callId, input }) => transfer(input, callId).catch(messageOf))
  return JSON.stringify(await Promise.all(done))
}

/** The SDK itself needs its program: what it asks before a call, it asks here. */
const claude: Run = async ({ reviews, sessionId, calls, pay }) => {
  const mayUse = canUseTool(reviews, { sessionId })
  const { signal } = new AbortController()
  const done = calls.map(async ({ callId, input }) => {
    const permission = await mayUse('transfer', { ...input }, { signal, toolUseID: callId })
    if (permission.behavior === 'deny') return permission.message
    const context = { reviewCaseId: null, presentationDigest: null }
    return pay(payment.parse(permission.updatedInput), context)
  })
  return JSON.stringify(await Promise.all(done))
}

/**
 * What Claude does by the hook: a call that is deferred is asked for again, as `resume` does, and one that is denied
 * for now is made again, which is another call with the same content.
 */
const claudeHook =
  (defers: boolean): Run =>
  async ({ reviews, sessionId, calls, pay }) => {
    const asked = async ({ callId, input }: Scripted): Promise<string> => {
      const call = {
        session_id: sessionId,
        tool_use_id: callId,
        tool_name: 'transfer',
        tool_input: input,
      }
      const { hookSpecificOutput: answer } = await decideHook(reviews, call, { defers })
      const { permissionDecision, permissionDecisionReason, updatedInput } = answer
      if (permissionDecision === 'allow')
        return pay(payment.parse(updatedInput), { reviewCaseId: null, presentationDigest: null })
      const isOpen = /make the same call again later/.test(permissionDecisionReason)
      if (permissionDecision === 'deny' && !isOpen) return permissionDecisionReason
      await new Promise((resolve) => setTimeout(resolve, 50))
      return asked({ callId: defers ? callId : `${callId}, again`, input })
    }
    return JSON.stringify(await Promise.all(calls.map(asked)))
  }

export const entries: Entries = {
  'a plain guard': { run: plain },
  "Claude's canUseTool": { run: claude },
  "Claude's hook": { run: claudeHook(true), asksAlways: true, deniesAway: true },
  "Claude's hook, by content": {
    run: claudeHook(false),
    byContent: true,
    sharesCases: true,
    asksAlways: true,
    deniesAway: true,
  },
}
