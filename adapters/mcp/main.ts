#!/usr/bin/env node
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createReviews } from '@countersign/agents'
import { reviewersIn } from '@countersign/agents/reviewers'
import { createClient } from '@countersign/client'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { approvalServer } from './approval-server.ts'
import { createCaseTasks } from './case-tasks.ts'
import { mostBytes } from './http.ts'
import { limitLines } from './limit-lines.ts'
import { runGateway } from './run-gateway.ts'

const usage = `countersign-mcp [--session ID] [--wait SECONDS] [--reviewers FILE]
countersign-mcp gateway --server NAME [--run 'NAME,PREFIX_*'] [--session ID] [--wait SECONDS] [--expires SECONDS] [--reviewers FILE] -- COMMAND ARGUMENTS…
The environment has COUNTERSIGN_INGEST_URL and SERVICE_API_KEY; with COUNTERSIGN_TASK_SECRET tasks outlive a gateway.
`

/** Until a request expires at the latest, as the service takes it. */
const longestMs = 366 * 24 * 60 * 60_000

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      reviewers: { type: 'string' },
      session: { type: 'string' },
      server: { type: 'string' },
      wait: { type: 'string', default: '45' },
      expires: { type: 'string' },
      run: { type: 'string', multiple: true, default: [] },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    process.exit()
  }
  const ingestUrl = process.env.COUNTERSIGN_INGEST_URL
  if (!ingestUrl) throw new Error('COUNTERSIGN_INGEST_URL: expected the origin of the ingest host')
  const waitMs = 1_000 * Number(values.wait)
  if (!(waitMs > 0 && waitMs < 60_000)) throw new Error('--wait: expected seconds below 60')
  const sessionId = values.session ?? `mcp-${randomUUID()}`
  const client = createClient({ ingestUrl })
  const onProblem = (text: string) => process.stderr.write(`countersign-mcp: ${text}\n`)
  const { reviewers: file } = values
  const reviewers = file === undefined ? null : reviewersIn(await readFile(file, 'utf8'))
  const pinned = reviewers ? { reviewers } : {}
  // Without a secret of its own, tasks are those of this process.
  const key = process.env.COUNTERSIGN_TASK_SECRET ?? randomBytes(32).toString('hex')
  if (key.length < 32) throw new Error('COUNTERSIGN_TASK_SECRET: expected at least 32 characters')
  const [mode, command, ...rest] = positionals
  if (mode === 'gateway' && command) {
    // The same call means something else before another server.
    const { server } = values
    if (!server)
      throw new Error('--server: expected a name for the server, which people see beside its calls')
    const expiresInMs = values.expires === undefined ? null : 1_000 * Number(values.expires)
    if (expiresInMs !== null && !(expiresInMs >= 1_000 && expiresInMs <= longestMs))
      throw new Error('--expires: expected seconds, from 1 to 31,622,400 (366 days)')
    const reviews = createReviews(client, {
      tools: {},
      others: {
        describe: () => ({ summary: `By the MCP server ${server}.` }),
        ...(expiresInMs !== null && { expiresInMs }),
      },
      identify: 'content',
      onProblem: ({ code, error }) => onProblem(`${code}: ${String(error)}`),
      ...pinned,
    })
    const { SERVICE_API_KEY: _, COUNTERSIGN_TASK_SECRET: __, ...environment } = process.env
    const secret = createHmac('sha256', key).update(server).digest('hex')
    const tasks = createCaseTasks({ client, reviews, sessionId, secret, results: new Map() })
    const run = values.run.flatMap((each) => each.split(',')).filter((each) => each !== '')
    process.exitCode = await runGateway({
      reviews,
      sessionId,
      run,
      waitMs,
      tasks,
      onProblem,
      command,
      arguments: rest,
      environment,
      input: process.stdin,
      output: process.stdout,
    })
  } else if (mode === undefined && values.expires === undefined) {
    const options = { sessionId, waitMs, onProblem, ...pinned, secret: key }
    const input = process.stdin.pipe(limitLines(mostBytes))
    // Once nobody answers any more, what still comes would keep the program running.
    const leave = () => process.stdin.destroy()
    input.once('pause', leave).once('error', () => {
      leave()
      process.exitCode = 1
    })
    const transport = new StdioServerTransport(input)
    const onerror = ({ message }: Error) => onProblem(message)
    serveStdio(() => approvalServer(client, options), { transport, onerror })
  } else {
    throw new Error(usage)
  }
} catch (error) {
  process.stderr.write(`countersign-mcp: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
