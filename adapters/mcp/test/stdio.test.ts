import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { main } from './programs.ts'

/** What the program writes for a message of so many bytes, which opens with a long name or comes after that. */
async function opened(bytes: number, isFirst = true) {
  const { PATH } = process.env
  const program = spawn(process.execPath, [main], {
    env: { PATH, COUNTERSIGN_INGEST_URL: 'http://127.0.0.1:1', SERVICE_API_KEY: 'svc_app_k' },
  })
  // It may end before it has read all.
  program.stdin.on('error', () => {})
  const written = Promise.all([text(program.stdout), text(program.stderr)])
  const messageOf = (method: string, name: string) => {
    const params = {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name, version: '1' },
    }
    return JSON.stringify({ jsonrpc: '2.0', id: isFirst ? 1 : 2, method, params })
  }
  const exited = once(program, 'exit')
  if (!isFirst) {
    const opening = messageOf('initialize', 'x').replace('"id":2', '"id":1')
    program.stdin.write(`${opening}\n`)
    await once(program.stdout, 'data')
  }
  const method = isFirst ? 'initialize' : 'ping'
  const name = 'x'.repeat(bytes - messageOf(method, '').length)
  program.stdin.write(`${messageOf(method, name)}\n`)
  const answered = once(program.stdout, 'data')
  const isAnswered = await Promise.race([answered.then(() => true), exited.then(() => false)])
  if (isAnswered) program.stdin.end()
  const [code] = await exited
  const [answer, problems] = await written
  return { answer, problems, code, isAnswered }
}

describe('the program that serves tools to ask with', () => {
  for (const isFirst of [true, false]) {
    const when = isFirst ? 'that opens' : 'after the opening'
    it(`answers a message of 256 KiB ${when}`, async () => {
      const { isAnswered, answer, problems, code } = await opened(2 ** 18, isFirst)
      assert.deepEqual([isAnswered, problems, code], [true, '', 0])
      assert.match(answer, /"name":"countersign"/)
    })

    for (const bytes of [2 ** 18 + 1, 330_000, 400_000, 2 ** 20])
      it(`ends, with a word on why, for one of ${bytes} bytes ${when}`, async () => {
        const { isAnswered, problems, code } = await opened(bytes, isFirst)
        assert.deepEqual([isAnswered, code], [false, 1])
        assert.match(problems, /^countersign-mcp: .*at most 262144 bytes/)
      })
  }
})
