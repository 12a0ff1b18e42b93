import {
  actionOf,
  checkpointOf,
  createReviews,
  type ReviewsOptions,
  type ToolPolicy,
} from '@countersign/agents'
import { type CaseAnswer, type Client, type OptionNames, readOptions } from '@countersign/client'
import { McpServer, type ServerContext } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { asked, named, withdrawn } from './asked-inputs.ts'
import { isAskedHere, namespace, title, wordsOf } from './asked-words.ts'
import {
  answerOf,
  declaresTasks,
  newTaskOf,
  questionOf,
  refusalOf,
  type ToolAnswer,
  taskOf,
  waitingAnswer,
} from './case-answers.ts'
import { caseIds, processSecret, sealedIds } from './request-ids.ts'
import { answerQuestion, tell, toldOrAway, withdraw } from './session-cases.ts'
import { handleTasks, type TaskAnswers, type Told } from './task-handlers.ts'
import { doneBy } from './within-ms.ts'

/** Options of `approvalServer`. */
export interface ApprovalServerOptions {
  /** Session of the cases; those of others are not found. */
  readonly sessionId: string
  /** Ms that a call waits for its decision; default 45,000, for clients end one after 60,000 unless told otherwise. */
  readonly waitMs?: number
  /** Ms between reads of a case, and between notifications of progress; default 1,000. */
  readonly pollMs?: number
  readonly onProblem?: (text: string) => void
  /** Counts decisions alone that one of these reviewers signed for what was asked, whatever its case shows. */
  readonly reviewers?: NonNullable<ReviewsOptions['reviewers']>
  /**
   * Key of the MAC in requests' ids, which they have where reviewers are pinned: the same in all processes that answer
   * for them, at least 32 characters; default one of this process.
   */
  readonly secret?: string
}

/** Names of the options of `approvalServer`. */
export const serverOptions: OptionNames<ApprovalServerOptions> = {
  sessionId: true,
  waitMs: true,
  pollMs: true,
  onProblem: true,
  reviewers: true,
  secret: true,
}

const advice =
  'This tool enforces nothing by itself: do the action only if `approved` is true, once, and exactly as it was asked.'

/**
 * An MCP server by whose tools an agent asks a person: `ask_for_approval`, `check_approval`, `withdraw_approval`. For
 * clients that declare the tasks extension the case is the task; others wait for at most `waitMs` a call. A call that
 * is aborted cancels nothing.
 *
 * @example
 * ```ts
 * import { createClient } from '@countersign/client'
 * import { approvalServer } from '@countersign/mcp'
 * import { serveStdio } from '@modelcontextprotocol/server/stdio'
 *
 * const client = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * serveStdio(() => approvalServer(client, { sessionId: 'run-4711' }))
 * ```
 */
export function approvalServer(client: Client, given: ApprovalServerOptions): McpServer {
  const options = readOptions(given, serverOptions)
  const { sessionId, waitMs = 45_000, pollMs = 1_000, reviewers, secret = processSecret } = options
  const ids = reviewers
    ? sealedIds(client, { sessionId, secret }, (review) => wordsOf(review).summary)
    : caseIds(client, sessionId)
  const server = new McpServer({ name: 'countersign', version: '0.1.0' })
  const onProblem: ReviewsOptions['onProblem'] = ({ code, error }) =>
    options.onProblem?.(`${code}: ${String(error)}`)

  /** Reviews of an action that is asked for here: by its key, or by what it shows. */
  const reviewsOf = (action: string, identify: 'call' | 'content', policy: ToolPolicy) =>
    createReviews(client, {
      tools: Object.fromEntries([[action, policy]]),
      identify,
      namespace,
      onProblem,
      ...(reviewers && { reviewers }),
    })

  /** A case of this session that was asked for here; null for any other, such as one that holds a tool back. */
  async function find(id: string): Promise<CaseAnswer | null> {
    const review = await ids.find(id)
    return review && isAskedHere(review) ? review : null
  }

  /**
   * The verdict on a closed case, and what claims its approval. Where nobody who is known has decided what was asked
   * for, why: of a case that shows more than that, no signature was checked.
   */
  async function judge(review: CaseAnswer, signal: AbortSignal) {
    const action = actionOf(review)
    if (!action) return { refused: refusalOf(noRequest) }
    const { tool, arguments: input } = action
    const call = { sessionId, callId: '', name: tool, input }
    const claims = reviewsOf(tool, 'content', { describe: () => wordsOf(review) })
    // Its id has a MAC over its checkpoint, where signatures count.
    const { checkpointId } = review.checkpoint
    const verdict = await claims.verdictOf(call, review, { checkpointId, signal })
    if (!verdict || verdict.code === 'refused' || verdict.code === 'changed')
      return { refused: refusalOf(verdict?.reason ?? notClaimed) }
    return { call, claims, verdict, checkpointId }
  }

  /**
   * What became of a request by its case; null while the service takes no claim. An approval is claimed as it is told,
   * so that one who asks hears that it is theirs, and the same content is asked for anew.
   */
  async function claimed(
    id: string,
    review: CaseAnswer,
    signal: AbortSignal,
  ): Promise<ToolAnswer | null> {
    // It was read again.
    if (!ids.isOf(id, review)) return refusalOf(noRequest)
    if (review.state === 'open') return waitingAnswer(id, review)
    const judged = await judge(review, signal)
    if ('refused' in judged) return judged.refused
    const { call, claims, verdict, checkpointId } = judged
    if (!verdict.approved) return answerOf(id, verdict)
    // Who asks past the deadline need not mean it any more.
    const how = { signal, beforeDeadline: true, checkpointId }
    const { approved, code } = await claims.spend(call, verdict, how)
    const ends = { isSpent: code === 'spent', isLate: code === 'expired' }
    return approved || ends.isSpent || ends.isLate ? answerOf(id, verdict, ends) : null
  }

  async function told(
    id: string,
    review: CaseAnswer,
    { mcpReq, until }: Pick<ServerContext, 'mcpReq'> & { readonly until: number },
  ): Promise<ToolAnswer> {
    const seen = await waited(review, mcpReq, until)
    // Who left hears of no approval, and it stays for who asks next.
    const answer = await doneBy(until, (signal) => claimed(id, seen, signal), mcpReq.signal)
    return answer ?? refusalOf(notClaimed)
  }

  async function waited(
    review: CaseAnswer,
    mcpReq: ServerContext['mcpReq'],
    until: number,
  ): Promise<CaseAnswer> {
    const progressToken = mcpReq._meta?.progressToken
    let seen = review
    for (let progress = 1; seen.state === 'open' && Date.now() < until; progress++) {
      if (mcpReq.signal.aborted || questionOf(seen) !== null) return seen
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      if (progressToken !== undefined) {
        const params = { progressToken, progress, message: 'A person is asked.' }
        await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
      }
      seen = await readAgain(seen)
    }
    return seen
  }

  /** A case as it is now; as it was, where the service is away for a moment. */
  const readAgain = (review: CaseAnswer) =>
    client.reviewCases.read({ case: review }).catch((error: unknown) => {
      tell(options.onProblem, String(error))
      return review
    })

  server.registerTool<z.ZodObject, typeof asked>(
    'ask_for_approval',
    { description: `Asks a person to approve an action, and waits. ${advice}`, inputSchema: asked },
    async ({ action, arguments: input = {}, why, tier, key }, context) => {
      const { mcpReq } = context
      const until = Date.now() + waitMs
      const policy: ToolPolicy = {
        ...(tier && { reviewTier: tier }),
        describe: () => ({ title, ...(why !== undefined && { summary: why }) }),
      }
      const reviews = reviewsOf(action, key === undefined ? 'content' : 'call', policy)
      const call = { sessionId, callId: key ?? '', name: action, input }
      const opened = await doneBy(until, (signal) => reviews.open(call, { signal }), mcpReq.signal)
      if (!opened) return refusalOf(notClaimed)
      const { verdict, review } = opened
      if (!review || verdict?.code === 'refused' || verdict?.code === 'changed')
        return refusalOf(verdict?.reason ?? 'No reviewer could be asked.')
      if (!isAskedHere(review)) return refusalOf(noRequest)
      const { reviewCaseId, checkpoint } = review
      // By its key, a request has one place; by content, which of equal ones it is, the service says.
      const checkpointId =
        key === undefined ? checkpoint.checkpointId : checkpointOf(call, namespace)
      const id = ids.of({ reviewCaseId, checkpointId, action, input, why })
      if (review.state === 'open' && declaresTasks(context)) return newTaskOf(review, id)
      return told(id, review, { mcpReq, until })
    },
  )

  server.registerTool<z.ZodObject, typeof named>(
    'check_approval',
    {
      description: `What became of a request, or the answer to a question. ${advice}`,
      inputSchema: named,
    },
    ({ reviewCaseId, answer }, { mcpReq }) =>
      toldOrAway(async () => {
        const until = Date.now() + waitMs
        const review = await find(reviewCaseId)
        if (!review) return refusalOf(noRequest)
        const seen =
          answer === undefined || questionOf(review) === null
            ? review
            : await client.reviewCases.answerFollowUp({ case: review, answer })
        return told(reviewCaseId, seen, { mcpReq, until })
      }, options.onProblem),
  )

  server.registerTool<z.ZodObject, typeof withdrawn>(
    'withdraw_approval',
    { description: 'Withdraws a request.', inputSchema: withdrawn },
    ({ reviewCaseId }, { mcpReq }) =>
      toldOrAway(async () => {
        const until = Date.now() + waitMs
        const review = await find(reviewCaseId)
        if (!review) return refusalOf(noRequest)
        const withdrawing = (signal: AbortSignal) => withdrawnBy(reviewCaseId, review, signal)
        return (await doneBy(until, withdrawing, mcpReq.signal)) ?? refusalOf(notClaimed)
      }, options.onProblem),
  )

  async function withdrawnBy(
    id: string,
    review: CaseAnswer,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const ended = await withdraw(client, review, (approved) => claimed(id, approved, signal))
    if (!ids.isOf(id, ended)) return refusalOf(noRequest)
    if (ended.state === 'open') return waitingAnswer(id, ended)
    const judged = await judge(ended, signal)
    if ('refused' in judged) return judged.refused
    // Of what was not withdrawn any more, the approval is nobody's here.
    return answerOf(id, judged.verdict, { isSpent: true })
  }

  /** Tells a task what `act` makes of its case. */
  async function withTask(
    taskId: string,
    act: (review: CaseAnswer) => Promise<object>,
  ): Promise<Told> {
    const review = await find(taskId)
    return review && { resultType: 'complete', ...(await act(review)) }
  }

  const answers: TaskAnswers = {
    get: (id, left) =>
      withTask(id, async (review) => {
        const until = Date.now() + waitMs
        const result = await doneBy(until, (signal) => claimed(id, review, signal), left)
        return taskOf(review, { taskId: id, result })
      }),
    update: (id, responses) =>
      withTask(id, async (review) => {
        await answerQuestion(client, review, responses)
        return {}
      }),
    cancel: (id, left) =>
      withTask(id, async (review) => {
        const until = Date.now() + waitMs
        const cancelling = (signal: AbortSignal) =>
          withdraw(client, review, (approved) => claimed(id, approved, signal))
        const cancelled = await doneBy(until, cancelling, left)
        if (!cancelled) throw new Error(`the withdrawal of ${id} did not end in time`)
        return {}
      }),
  }
  handleTasks(server, answers, options.onProblem)
  return server
}

const noRequest = 'There is no such request.'
const notClaimed = 'Whether the approval still holds could not be learnt; ask again later.'
