import { untilAborted } from '@countersign/client'
import type { AskOptions, Problem, ReviewsOptions, ToolPolicy } from './options.ts'
import { type AnyCall, copyOfCall, membersOf, type ToolCall } from './tool-call.ts'

/** Which calls need a person, and copies of calls that stay as they are. */
export type Policies = ReturnType<typeof createPolicies>

/** Creates the policies of reviews. */
export function createPolicies({ tools, others = 'ask', onProblem }: ReviewsOptions) {
  const otherPolicy = typeof others === 'object' ? others : null

  const ownPolicyOf = (name: string): ToolPolicy | null =>
    Object.hasOwn(tools, name) ? (tools[name] ?? {}) : null

  const policyOf = (name: string) => ownPolicyOf(name) ?? otherPolicy

  function problem(code: Problem['code'], call: ToolCall, error: unknown): void {
    try {
      onProblem?.({ code, call, error })
    } catch {
      // Who only hears of a call changes nothing of it.
    }
  }

  /** The call with a copy of its input, which is what is asked for and runs; null where that is no JSON. */
  function keptOf(call: AnyCall): AnyCall | null {
    try {
      return copyOfCall(call)
    } catch (error) {
      problem('not_json', call, error)
      return null
    }
  }

  /** Rejects with the signal's reason alone. */
  async function isWanted(
    { when = () => true }: ToolPolicy,
    call: ToolCall,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    try {
      // Of a copy: what a policy does with it is neither shown nor run.
      const answer = await untilAborted(signal, async () => when(copyOfCall(call)))
      return answer !== false
    } catch (error) {
      signal?.throwIfAborted()
      problem('when_failed', call, error)
      return true
    }
  }

  async function needs(given: ToolCall, { signal }: AskOptions = {}): Promise<boolean> {
    const call = membersOf(given)
    const policy = policyOf(call.name)
    if (!policy) return others !== 'run'
    const kept = keptOf(call)
    // What is no JSON is refused where it is asked for.
    return kept === null || isWanted(policy, kept, signal)
  }

  return { ownPolicyOf, policyOf, problem, keptOf, isWanted, needs }
}
