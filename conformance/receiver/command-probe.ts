import { type ChildProcess, spawn } from 'node:child_process'
import { remoteProbe } from './http-probe.ts'
import { type Probe, ProbeError } from './probe.ts'

const endsWithinMs = 60_000
/** Windows has no process groups: there a command that is ended may leave behind what it started. */
const detached = process.platform !== 'win32'

/**
 * A probe that is a command of the shell. It finds `{"do": "read", "ids": […], "reviewCaseIds": […]}` or one of the
 * actions of `httpProbe` on its standard input and writes a Sighting as JSON; an exit status other than 0 is a
 * ProbeError, and so is an end that does not come within a minute (or `withinMs`).
 */
export function commandProbe(command: string, withinMs: number = endsWithinMs): Promise<Probe> {
  return remoteProbe({
    read: async (asked) => {
      const output = await run(command, { do: 'read', ...asked }, withinMs)
      try {
        return JSON.parse(output)
      } catch (error) {
        throw new ProbeError(
          `the probe is broken: expected JSON from \`${command}\`, got ${JSON.stringify(output.slice(0, 100))}`,
          { cause: error },
        )
      }
    },
    do: async (action) => {
      await run(command, action, withinMs)
    },
  })
}

/** Runs a command of the shell with JSON on its standard input; resolves to its output, rejects with a ProbeError. */
async function run(command: string, input: object, withinMs: number): Promise<string> {
  // A group of its own, so that what the shell started ends with it.
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], detached })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A command that does not read its input closes it; its exit status tells whether that was an error.
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(input))
  await ended(child, 'close', command, withinMs)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Runs a command of the shell that may leave a process behind: waits for its own end, not for that of its output, which
 * the receiver that it started goes on to hold. Rejects with a ProbeError.
 */
export async function runAndLeave(command: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
  await ended(child, 'exit', command, endsWithinMs)
}

/** Ends a command, and with it what it started where it has a group of its own. */
function end(child: ChildProcess): void {
  try {
    if (detached && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // It has no group, or has ended meanwhile.
    child.kill('SIGKILL')
  }
}

function ended(
  child: ChildProcess,
  event: 'close' | 'exit',
  command: string,
  withinMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = (what: string) =>
      reject(new ProbeError(`the probe is broken: \`${command}\` ${what}`))
    const late = setTimeout(() => {
      end(child)
      // What the command started may hold it open.
      child.stdout?.destroy()
      broken(`did not end within ${withinMs} ms`)
    }, withinMs)
    child.once('error', (error) => {
      clearTimeout(late)
      broken(error.message)
    })
    child.once(event, (status: number | null, signal: NodeJS.Signals | null) => {
      clearTimeout(late)
      if (status === 0) resolve()
      else broken(`ended with ${status ?? signal}`)
    })
  })
}
