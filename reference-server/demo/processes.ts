import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { CommandError } from '../command/subcommand.ts'
import { takePort } from '../listen.ts'

/** A process of ours that may be killed and started again. */
export interface Program {
  /** How often it was killed with SIGKILL. */
  readonly kills: () => number
  start(): Promise<void>
  kill(): Promise<void>
  /** Asks with SIGTERM and waits for the end; tells the exit code. */
  stop(): Promise<number | null>
}

/** The file of a bundled program; this module runs in a bundle, too, which lies beside it. */
export function programFile(name: 'start' | 'serve' | 'receiver'): string {
  return fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url))
}

/** Describes a program of this package; `ready` resolves once it serves. */
export function program(options: {
  readonly name: string
  readonly program: 'serve' | 'receiver'
  readonly environment: Readonly<Record<string, string>>
  readonly logFile: string
  readonly ready: () => Promise<boolean>
}): Program {
  let child: ChildProcess | null = null
  let kills = 0
  const file = programFile(options.program)

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const running = child
    child = null
    if (!running || running.exitCode !== null) return running?.exitCode ?? null
    const exited = once(running, 'exit')
    running.kill(signal)
    const [code] = (await exited) as [number | null]
    return code
  }

  return {
    kills: () => kills,
    start: async () => {
      const started = spawn(process.execPath, ['--enable-source-maps', file], {
        env: { PATH: process.env.PATH ?? '', ...options.environment },
        // The channel closes when this process ends, however it does; the receiver takes that for its own end.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      for (const stream of [started.stdout, started.stderr]) {
        stream?.on('data', (chunk: Buffer) => appendFileSync(options.logFile, chunk))
      }
      child = started
      await untilReady(options, started)
    },
    kill: async () => {
      kills++
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

async function untilReady(
  options: {
    readonly name: string
    readonly logFile: string
    readonly ready: () => Promise<boolean>
  },
  child: ChildProcess,
): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) {
      throw new CommandError(
        `${options.name} ended with code ${child.exitCode}; its log is ${options.logFile}`,
      )
    }
    if (await options.ready()) return
    await pause(25)
  }
  throw new CommandError(`${options.name} was not ready within 15 s; its log is ${options.logFile}`)
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Asks again every 50 ms until the answer is yes, and says what it waited for when it never is. */
export async function until(
  what: string,
  withinMs: number,
  ask: () => Promise<boolean>,
): Promise<void> {
  const end = Date.now() + withinMs
  while (Date.now() < end) {
    if (await ask()) return
    await pause(50)
  }
  throw new Error(`waited ${withinMs} ms for ${what}`)
}

/** Below those that systems give to outgoing connections, which would take the port of a process that was killed. */
const stablePorts = [15_000, 32_000] as const

/** Free ports of the loopback interface, so that a restarted process finds its own again. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(...stablePorts)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  const listens = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (listens) await new Promise((resolve) => server.close(resolve))
  return listens
}

/** What a killed process has left ends within moments. */
const leftoverMs = 1_000

/** Rejects, naming the setting, when another process listens there and goes on to. */
export async function portIsFree(port: number, setting: string): Promise<void> {
  for (const end = Date.now() + leftoverMs; !(await isFree(port)) && Date.now() < end; )
    await pause(50)
  const server = createServer()
  await takePort(server, { setting, host: '127.0.0.1', port })
  server.close()
  await once(server, 'close')
}
