#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createClient, type SignatureCheck } from '@countersign/client'
import { answerOf, decideHook, type HookAnswer, hookReviews } from './decide-hook.ts'

// A `PreToolUse` command hook of Claude Code and the Claude Agent SDK. It prints a decision and ends with 0; with 2,
// which Claude takes for a denial, where it can't.
const limitMs = 20_000

const late = new Promise<HookAnswer>((resolve) => {
  const answer = answerOf('deny', 'The service did not answer in time; the call was not made.')
  const ms = Number(process.env.COUNTERSIGN_HOOK_LIMIT_MS) || limitMs
  setTimeout(resolve, ms, answer)
})

async function decide(): Promise<HookAnswer> {
  const { values: given } = parseArgs({
    options: { defer: { type: 'boolean', default: false }, reviewers: { type: 'string' } },
  })
  const ingestUrl = process.env.COUNTERSIGN_INGEST_URL
  if (!ingestUrl) throw new Error('COUNTERSIGN_INGEST_URL: expected the origin of the ingest host')
  const input: unknown = JSON.parse(await text(process.stdin))
  const onProblem = (told: string) => process.stderr.write(`countersign-hook: ${told}\n`)
  // A file that can't be read ends the hook: without it, decisions would count that nobody signed.
  const reviewers = given.reviewers === undefined ? null : await reviewersOf(given.reviewers)
  const options = { defers: given.defer, onProblem, ...(reviewers && { reviewers }) }
  return decideHook(hookReviews(createClient({ ingestUrl }), input, options), input, options)
}

/** Loaded where they are pinned alone: each call of Claude's starts a hook. */
async function reviewersOf(file: string): Promise<SignatureCheck> {
  const { reviewersIn } = await import('../reviewers.ts')
  return reviewersIn(await readFile(file, 'utf8'))
}

try {
  // One answer: two would be read as none.
  const answer = await Promise.race([late, decide()])
  // 0 without an answer denies nothing.
  const left = (error?: Error | null) => process.exit(error ? 2 : 0)
  process.stdout.on('error', left)
  process.stdout.write(`${JSON.stringify(answer)}\n`, left)
} catch (error) {
  process.stderr.write(`countersign-hook: ${String(error)}\n`)
  process.exit(2)
}
