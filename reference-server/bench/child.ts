import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A process of the bench that answers questions, one at a time. */
export interface Child<Ready> {
  readonly ready: Ready
  readonly startMs: number
  ask<T>(question: unknown): Promise<T>
  stop(): Promise<void>
}

interface Reply {
  readonly value?: unknown
  readonly error?: string
}

/** Starts a compiled program below `children/` and waits until it says that it is ready. */
export async function startChild<Ready>(name: string, given: unknown): Promise<Child<Ready>> {
  const start = performance.now()
  const script = fileURLToPath(new URL(`./children/${name}.js`, import.meta.url))
  const process = fork(script, [JSON.stringify(given)])
  const exited = once(process, 'exit')

  async function reply<T>(): Promise<T> {
    const left = exited.then(([code]) => [{ error: `${name} ended with code ${code}` }])
    const [message] = (await Promise.race([once(process, 'message'), left])) as [Reply]
    if (message.error !== undefined) throw new Error(message.error)
    return message.value as T
  }

  const ready = await reply<Ready>()
  return {
    ready,
    startMs: performance.now() - start,
    ask: (question) => {
      process.send({ question })
      return reply()
    },
    stop: async () => {
      if (process.exitCode !== null || process.signalCode !== null) return
      process.kill('SIGKILL')
      await exited
    },
  }
}

/** The other side: says ready with the answer of `open`, then answers each question. */
export async function serveParent<Given>(
  open: (given: Given) => Promise<{
    readonly ready: unknown
    answer?(question: unknown): Promise<unknown>
  }>,
): Promise<void> {
  const tell = (reply: Reply) => process.send?.(reply)
  const failed = (error: unknown) =>
    tell({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  process.once('disconnect', () => process.exit())
  try {
    const { ready, answer } = await open(JSON.parse(process.argv[2] ?? 'null') as Given)
    process.on('message', ({ question }: { question: unknown }) => {
      const answered = answer ? answer(question) : Promise.reject(new Error('asks for nothing'))
      answered.then((value) => tell({ value }), failed)
    })
    tell({ value: ready })
  } catch (error) {
    failed(error)
  }
}
