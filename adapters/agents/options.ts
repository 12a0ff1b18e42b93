import {
  type CaseAnswer,
  type OptionNames,
  type ReviewRequest,
  readOptions,
  type WaitOptions,
} from '@countersign/client'
import type { Together } from './meetings.ts'
import type { Description } from './present-call.ts'
import type { CallIds, ToolCall } from './tool-call.ts'
import type { CallVerdict } from './verdict.ts'

/** When calls of a tool need a person, and how they are shown. */
export interface ToolPolicy {
  /** Default always. `false` alone runs unasked: a policy that throws, or answers nothing, asks. */
  readonly when?: (call: ToolCall) => boolean | Promise<boolean>
  /** Default `high_risk_action`. */
  readonly reasonCategory?: ReviewRequest['reasonCategory']
  readonly reviewTier?: 'standard' | 'high' | 'urgent'
  /** Ms from the first request until the case expires; default the tier's. */
  readonly expiresInMs?: number
  /** Id of the member for whom the agent acts, who may not review it. */
  readonly requestedBy?: (call: ToolCall) => string | null
  /** The application's words beside the action; the same for the same call. */
  readonly describe?: (call: ToolCall) => Description
}

const policyOptions: OptionNames<ToolPolicy> = {
  when: true,
  reasonCategory: true,
  reviewTier: true,
  expiresInMs: true,
  requestedBy: true,
  describe: true,
}

/** As `readOptions` of `@countersign/client`; `name`: where the policy was given. */
function readPolicy(name: string, given: ToolPolicy): ToolPolicy {
  try {
    return readOptions(given, policyOptions)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TypeError(`${name}: ${error.message}`, { cause: error })
  }
}

/** What a call that nobody could be asked for met; never told to the model. */
export interface Problem {
  /** Of the service's error, or `when_failed`, `not_json`, `not_asked`, `not_claimed`, `not_reported`. */
  readonly code: string
  readonly call: ToolCall
  readonly error: unknown
}

/** Options of `createReviews`. */
export interface ReviewsOptions extends Pick<WaitOptions, 'pollMs' | 'onFollowUp' | 'reviewers'> {
  /** By exact name. */
  readonly tools: Readonly<Record<string, ToolPolicy>>
  /**
   * A tool without a policy, where tools are found by name (`needs`, `canUseTool`, `toolApproval`, `reviewMiddleware`):
   * with `run`, one whose policy is misspelt runs unasked. Default `ask`; a policy asks by it. A guarded one always
   * asks, whatever the `when` of that policy says.
   */
  readonly others?: 'run' | 'ask' | ToolPolicy
  /**
   * What makes two calls the same one: the framework's id, or, where there is none that outlives a restart, all that is
   * shown of it. By content, a decision counts until its case's `expiresAt`, a rejection as an approval; an approval
   * that was spent, a request that ended without a decision, and what a pinned reviewer signed too long ago count for no
   * later call. Default `call`.
   */
  readonly identify?: 'call' | 'content'
  /**
   * Keeps calls apart from equal ones of other reviews in the same sessions: what is approved here approves nothing
   * there. The same in all processes.
   */
  readonly namespace?: string
  /**
   * What a guarded call does that has no case: open one and wait, or be denied. `deny` is for loops that ask before
   * (`answerApprovals`, `resolveInterruptions`, `resumeOf`): a forged approval then opens nothing. Default `ask`.
   */
  readonly unasked?: 'ask' | 'deny'
  /**
   * What comes of a reviewer's proposal (`response_submitted`): the model is told, or the guard asks for the call as
   * they changed it, in a case of its own that shows both, and runs that once it is approved. Members of the response
   * take the place of the arguments of the same names; `describe` has to ask for them by `respond.schema`. Default
   * `tell`.
   */
  readonly edits?: 'tell' | 'ask'
  /** Whether the model hears what the reviewer wrote; default `tell`. */
  readonly comment?: 'tell' | 'withhold'
  /** Names the worker to which outcome callbacks bring a resume token (`readResumeToken`). */
  readonly via?: string
  /** Is called once a case is open, or was found. */
  readonly onOpen?: (review: CaseAnswer) => void
  readonly onProblem?: (problem: Problem) => void
}

const reviewsOptions: OptionNames<ReviewsOptions> = {
  tools: true,
  others: true,
  identify: true,
  namespace: true,
  unasked: true,
  edits: true,
  comment: true,
  via: true,
  pollMs: true,
  reviewers: true,
  onFollowUp: true,
  onOpen: true,
  onProblem: true,
}

/** As `readOptions` of `@countersign/client`, of the policies too. */
export function readReviewsOptions(given: ReviewsOptions): ReviewsOptions {
  const { tools, others, ...options } = readOptions(given, reviewsOptions)
  const policies = Object.getOwnPropertyNames(tools).map(
    (name) => [name, readPolicy(`tools.${name}`, tools[name] ?? {})] as const,
  )
  return {
    ...options,
    tools: Object.fromEntries(policies),
    // What is no policy asks.
    ...(typeof others === 'object' && others !== null
      ? { others: readPolicy('others', others) }
      : others && { others }),
  }
}

/** The approval under which an action runs; nulls where none was needed. */
export interface RunContext {
  /**
   * No idempotency key, as one call may have two cases, each signed, where the service was stolen: session and call id
   * are one. By content there is none.
   */
  readonly reviewCaseId: string | null
  readonly presentationDigest: string | null
  /**
   * The arguments under which it was approved, where a reviewer changed them; absent where it runs as it was called.
   */
  readonly edited?: unknown
  /** The call's signal, where it has one: until here it ended the wait, from here the action may end its work by it. */
  readonly signal?: AbortSignal
}

/** Ends a wait; the case stays open. */
export interface AskOptions extends Pick<CallIds, 'signal'> {}

/** Ends a wait, that for a policy's `when` too; the case stays open. */
export interface RunCallOptions extends AskOptions {
  /** Whether `needs` said that this call needs a person: the policy is not asked again, which might say otherwise. */
  readonly isNeeded?: boolean
  /** What comes of a reviewer's proposal: `tell` where the action can't be changed. Default that of the reviews. */
  readonly edits?: 'tell' | 'ask'
  /** Is awaited once the call is approved, before that is spent: for calls that run together, or not at all. */
  readonly ready?: () => Promise<void>
  /**
   * For calls that run together, or not at all. Where one of its waits rejects, nothing runs, and the approval stays
   * for the same call in this process. Without it a claimed call runs, whoever left, unless they did while its
   * signature was checked anew.
   */
  readonly together?: Together
}

const runOptions: OptionNames<RunCallOptions> = {
  signal: true,
  isNeeded: true,
  edits: true,
  ready: true,
  together: true,
}

/** As `readOptions` of `@countersign/client`. */
export function readRunOptions(given: RunCallOptions): RunCallOptions {
  return readOptions(given, runOptions)
}

/** Where a call was asked for. */
export interface AskedPlace {
  /**
   * Its checkpoint, where the application knows that by itself; default what the call's id or content makes. A
   * signature by a pinned key is held to it.
   */
  readonly checkpointId?: string
}

/** Where a case was asked for; the signal ends a check of its signature. */
export interface JudgeOptions extends AskOptions, AskedPlace {}

/** Ends a wait; an approval that was claimed by then stays for who spends it next in this process. */
export interface SpendOptions extends JudgeOptions {
  /** Whether an approval is spent before its case's `expiresAt` alone; default by content. */
  readonly beforeDeadline?: boolean
  /**
   * For calls that run together, or not at all: it alone looks at who left then. Where one of its waits rejects, the
   * verdict denies, and the approval stays as one that was left.
   */
  readonly together?: Together
}

const spendOptions: OptionNames<SpendOptions> = {
  signal: true,
  checkpointId: true,
  beforeDeadline: true,
  together: true,
}

/** As `readOptions` of `@countersign/client`. */
export function readSpendOptions(given: SpendOptions): SpendOptions {
  return readOptions(given, spendOptions)
}

/** A call that is asked for. */
export interface OpenedCall {
  /** Null while the case is open. */
  readonly verdict: CallVerdict | null
  /** Null where nobody could be asked. */
  readonly review: CaseAnswer | null
}

/** Asks people about tool calls, and holds calls back until they have answered. */
export interface Reviews {
  /** What makes two calls the same one, to these reviews. */
  readonly identify: 'call' | 'content'
  /** Whether the policies want a person to see this call. Rejects with the signal's reason alone. */
  needs(call: ToolCall, options?: AskOptions): Promise<boolean>
  /** Opens the call's case, or finds it, and waits until it is closed. Rejects with the signal's reason alone. */
  ask(call: ToolCall, options?: AskOptions): Promise<CallVerdict>
  /** As `ask`, without waiting: for whoever goes on with the case elsewhere. */
  open(call: ToolCall, options?: AskOptions): Promise<OpenedCall>
  /** The verdict of `open`: null while the case is open. */
  check(call: ToolCall, options?: AskOptions): Promise<CallVerdict | null>
  /**
   * The verdict on a call by a case that was read; null while that is open. Where `reviewers` are pinned, a decision
   * that none of them signed is `refused`. Where the case shows something else than the call (`changed`), no signature
   * is looked at: its outcome is the service's word. Rejects with the signal's reason alone.
   */
  verdictOf(call: ToolCall, review: CaseAnswer, options?: JudgeOptions): Promise<CallVerdict | null>
  /**
   * Spends an approval; the verdict denies where another run has, where it approves another call, or past a deadline
   * that counts. For whoever can't run the action in `run`.
   */
  spend(call: ToolCall, verdict: CallVerdict, options?: SpendOptions): Promise<CallVerdict>
  /**
   * Runs the action if no person is needed, or once they have approved exactly this call and nobody has spent that
   * approval. Throws NotRun otherwise, and whatever the action throws. `input` is what was shown, or what a reviewer
   * made of it: act on that.
   */
  run<O>(
    call: ToolCall,
    act: (context: RunContext, input: unknown) => O | Promise<O>,
    options?: RunCallOptions,
  ): Promise<O>
  /** As `run`, where no person is needed; null, and nothing is asked, where one is. */
  runUnasked<O>(
    call: ToolCall,
    act: (context: RunContext, input: unknown) => O | Promise<O>,
    options?: AskOptions,
  ): Promise<{ readonly done: O } | null>
  /**
   * Wraps a function that acts, as `run`. `of` finds the ids of a call among the arguments with which the framework
   * makes it. `act` is given a copy of the input. Throws where it is a generator function, which does nothing when it
   * is called.
   */
  guard<I, R extends unknown[], O>(
    name: string,
    act: (input: I, context: RunContext) => O | Promise<O>,
    of: (input: I, ...rest: R) => CallIds,
  ): (input: I, ...rest: R) => Promise<O>
}
