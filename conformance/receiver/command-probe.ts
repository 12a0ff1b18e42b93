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
export function run(command: string, input: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    const failed = (what: string) =>
      reject(new ProbeError(`the probe is broken: \`${command}\` ${what}`))
    child.on('error', (error) => failed(error.message))
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', (status, signal) => {
      if (status === 0) resolve(Buffer.concat(chunks).toString('utf8'))
      else failed(`ended with ${status ?? signal}`)
    })
    // A command that does not read its input closes it; its exit status tells whether that was an error.
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(input))
  })
}
