import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { main } from './programs.ts'

/** What the program writes for an opening with a name of so many characters. */
async function opened(length: number) {
  const { PATH } = process.env
  const program = spawn(process.execPath, [main], {
    env: { PATH, COUNTERSIGN_INGEST_URL: 'http://127.0.0.1:1', SERVICE_API_KEY: 'svc_app_k' },
  })
  // It may end before it has read all.
  program.stdin.on('error', () => {})
  const written = Promise.all([text(program.stdout), text(program.stderr)])
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'x'.repeat(length), version: '1' },
  }
  const opening = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  program.stdin.write(`${JSON.stringify(opening)}\n`)
  const answered = once(program.stdout, 'data')
  const ended = once(program, 'exit')
  await Promise.race([answered, ended])
  program.stdin.end()
  await ended
  const [answer, problems] = await written
  return { answer, problems }
}

describe('the program that serves tools to ask with', () => {
  it('answers messages of 256 KiB', async () => {
    const { answer, problems } = await opened(2 ** 18 - 200)
    assert.match(answer, /"name":"countersign"/)
    assert.equal(problems, '')
  })

  it('ends, with a word on why, where one is larger', async () => {
    const { answer, problems } = await opened(2 ** 20)
    assert.equal(answer, '')
    assert.match(problems, /^countersign-mcp: .*size/)
  })
})
