import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type OptionNames, readOptions } from '@countersign/client'
import { linesLeft } from './batch-texts.ts'
import { createGateway, type GatewayOptions } from './gateway.ts'
import { readLines } from './read-lines.ts'
import type { RpcMessage } from './rpc-messages.ts'

/** A gateway whose client is at these streams, before a server that it starts. */
export interface RunGatewayOptions
  extends Pick<GatewayOptions, 'reviews' | 'sessionId' | 'run' | 'waitMs' | 'tasks' | 'onProblem'> {
  readonly command: string
  readonly arguments: readonly string[]
  readonly input: Readable
  readonly output: Writable
  /** Of the server; without the service's key. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

const names: OptionNames<RunGatewayOptions> = {
  reviews: true,
  sessionId: true,
  run: true,
  waitMs: true,
  tasks: true,
  onProblem: true,
  command: true,
  arguments: true,
  input: true,
  output: true,
  environment: true,
}

/** Runs until the client or the server ends; resolves to the server's exit code, 1 after a signal. */
export async function runGateway(given: RunGatewayOptions): Promise<number> {
  const {
    command,
    arguments: words,
    input,
    output,
    environment,
    ...options
  } = readOptions(given, names)
  const server = spawn(command, words, {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const write = (to: Writable) => (message: RpcMessage) => {
    // Written anew: what was looked at is what is sent.
    if (to.writable) to.write(`${JSON.stringify(message)}\n`)
  }
  const toClient = write(output)
  const gateway = createGateway({ ...options, toClient, toServer: write(server.stdin) })
  const problem = (error: unknown) => options.onProblem?.(String(error))
  server.stdin.on('error', problem)
  // Whole lines, among which the gateway's own come.
  readLines(server.stdout, {
    line(line) {
      const left = linesLeft(line, gateway.fromServer)
      if (output.writable) for (const each of left) output.write(`${each}\n`)
    },
  })
  const stopReading = readLines(input, {
    line(line) {
      if (line.trim() === '') return
      let read: unknown
      try {
        read = JSON.parse(line)
      } catch (error) {
        problem(error)
        return
      }
      gateway.fromClient(read).catch(problem)
    },
    end() {
      gateway.close()
      server.stdin.end()
    },
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', resolve)
  }).finally(() => {
    gateway.close()
    stopReading()
  })
  return code ?? 1
}
