import { spawn } from 'node:child_process'
import { remoteProbe } from './http-probe.ts'
import { type Probe, ProbeError } from './probe.ts'

/**
 * A probe that is a command of the shell. It finds `{"do": "read", "ids": […], "reviewCaseIds": […]}` or one of the
 * actions of `httpProbe` on its standard input and writes a Sighting as JSON; an exit status other than 0 is a
 * ProbeError.
 */
export function commandProbe(command: string): Promise<Probe> {
  return remoteProbe({
    read: async (asked) => {
      const output = await run(command, { do: 'read', ...asked })
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
      await run(command, action)
    },
  })
}

/** Runs a command of the shell with JSON on its standard input; resolves to its output, rejects with a ProbeError. */
function run(command: string, input: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.on('error', (error) => reject(broken(command, error.message)))
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', (status, signal) => {
      if (status === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else reject(broken(command, `ended with ${status ?? signal}`))
    })
    // A command that does not read its input closes it; its exit status tells whether that was an error.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(input))
  })
}

/**
 * Runs a command of the shell that may leave a process behind: waits for its own end, not for that of its output, which
 * the receiver that it started goes on to hold. Rejects with a ProbeError.
 */
export function runAndLeave(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', (error) => reject(broken(command, error.message)))
    child.on('exit', (status, signal) => {
      if (status === 0) resolve()
      else reject(broken(command, `ended with ${status ?? signal}`))
    })
  })
}

function broken(command: string, what: string): ProbeError {
  return new ProbeError(`the probe is broken: \`${command}\` ${what}`)
}
