import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startPlainReceiver } from '@countersign/conformance/broken'
import { serveProbe } from './probe-server.ts'
import { secret, signing, verifying } from './receiver-targets.ts'

const cli = fileURLToPath(new URL('../../cli.mjs', import.meta.url))
const mostMb = 256

/** Prints the most memory that the process had, MB, as it ends. */
const watch = `data:text/javascript,process.on('exit',()=>console.error('peak '+process.resourceUsage().maxRSS/1024))`

describe('the cost of the receiver suite', () => {
  it('is less than 256 MB for a run of the default budget', async () => {
    const running = await startPlainReceiver(verifying)
    const probe = await serveProbe(running.probe)
    try {
      const args = ['receiver', '--url', running.url, '--secret', secret, '--probe', probe.url]
      const keys = ['--private-key', signing.keys[1] ?? '', '--legacy-secret', signing.legacySecret]
      const child = spawn(process.execPath, ['--import', watch, cli, ...args, ...keys], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let [out, err] = ['', '']
      child.stdout.on('data', (text) => {
        out += text
      })
      child.stderr.on('data', (text) => {
        err += text
      })
      const [status] = await once(child, 'close')
      assert.equal(status, 0, out)
      const peak = Number(/peak ([\d.]+)/.exec(err)?.[1])
      console.log(`${Math.round(peak)} MB; ${out.trim().split('\n').at(-2)}`)
      assert.ok(peak < mostMb, `${peak} MB`)
    } finally {
      await probe.close()
      await running.close()
    }
  })
})
