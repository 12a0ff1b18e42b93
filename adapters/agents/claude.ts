import type { Reviews } from './options.ts'
import { jsonOf } from './tool-call.ts'

/** As `PermissionResult` of the Claude Agent SDK. */
export type ToolPermission =
  | { behavior: 'allow'; updatedInput: Record<string, unknown> }
  | { behavior: 'deny'; message: string }

/**
 * A `canUseTool` of the Claude Agent SDK that asks in place, and spends the approval. For decisions within seconds: the
 * SDK's control channel ends after a minute, and some versions run the tool then. For longer ones there is the hook.
 * A tool without a policy asks, unless the reviews have `others: 'run'`. Claude asks it only about calls that no hook,
 * rule or mode decided.
 */
export function canUseTool(reviews: Reviews, { sessionId }: { readonly sessionId: string }) {
  return async (
    name: string,
    given: Record<string, unknown>,
    { signal, toolUseID }: { readonly signal: AbortSignal; readonly toolUseID: string },
  ): Promise<ToolPermission> => {
    // What is shown is what Claude is told to run, whatever becomes of its own meanwhile.
    const input = copyOf(given)
    if (!input)
      return { behavior: 'deny', message: 'The arguments are no JSON; the call was not made.' }
    const call = { sessionId, callId: toolUseID, name, input }
    if (!(await reviews.needs(call, { signal }))) return { behavior: 'allow', updatedInput: input }
    const asked = await reviews.ask(call, { signal })
    const { approved, reason } = await reviews.spend(call, asked, { signal })
    return approved
      ? { behavior: 'allow', updatedInput: input }
      : { behavior: 'deny', message: reason }
  }
}

function copyOf(input: Record<string, unknown>): Record<string, unknown> | null {
  try {
    return jsonOf(input) as Record<string, unknown>
  } catch {
    return null
  }
}
