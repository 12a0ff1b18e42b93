import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type RunningReceiver, startPlainReceiver } from '@countersign/conformance/broken'
import { main } from '@countersign/conformance/cli'
import { secret, signing, verifying } from './receiver-targets.ts'

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let out = ''
  let err = ''
  const status = await main(args, {
    env,
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    terminal: false,
  })
  return { status, out, err }
}

const program = fileURLToPath(new URL('../../cli.mjs', import.meta.url))

it('a fault of the command itself has an exit status of its own', async () => {
  const fault =
    'data:text/javascript,process.once("beforeExit", () => { throw new Error("planted") })'
  const child = spawn(process.execPath, ['--import', fault, program, '--help'])
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [status] = await once(child, 'close')
  assert.equal(status, 70)
  assert.match(err, /died of a fault of its own.*planted/s)
})

describe('countersign-conformance receiver', () => {
  let running: RunningReceiver
  let probeServer: http.Server
  let probeUrl: string
  let folder: string
  const told: unknown[] = []

  before(async () => {
    running = await startPlainReceiver(verifying)
    folder = await mkdtemp(join(tmpdir(), 'countersign-conformance-'))
    probeServer = http.createServer(async (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://probe')
      const list = (name: string) => searchParams.get(name)?.split(',') ?? []
      if (request.method === 'POST') {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const action = JSON.parse(Buffer.concat(chunks).toString())
        told.push(action)
        const { probe } = running
        if (action.do === 'restart') await probe.restart?.()
        if (action.do === 'clock') await probe.setClock?.(action.now)
        if (action.do === 'delay') await probe.setDelay?.(action.ms)
        if (action.do === 'storeFailure') await probe.setStoreFailure?.(action.on)
        response.writeHead(204).end()
        return
      }
      const seen = await running.probe.read({
        ids: list('ids'),
        reviewCaseIds: list('reviewCaseIds'),
      })
      const can = ['restart', 'clock', 'delay', 'storeFailure']
      response.end(JSON.stringify({ ...seen, can }))
    })
    await new Promise<void>((resolve) => probeServer.listen(0, '127.0.0.1', resolve))
    probeUrl = `http://127.0.0.1:${(probeServer.address() as AddressInfo).port}/`
  })

  after(async () => {
    await running.close()
    probeServer.close()
    probeServer.closeAllConnections()
    await rm(folder, { recursive: true })
  })

  const keys = () => [
    ...['--url', running.url, '--secret', 'env:SECRET', '--private-key', signing.keys[1]],
    ...['--legacy-secret', signing.legacySecret, '--deadline-ms', '5000'],
  ]
  const env = { SECRET: secret }

  it('judges everything through an HTTP probe, and writes JSON and JUnit XML', async () => {
    const junit = join(folder, 'junit.xml')
    const { status, out, err } = await run(
      [
        'receiver',
        ...keys(),
        '--probe',
        probeUrl,
        '--quick',
        '--budget=60',
        '--json',
        '--junit',
        junit,
      ],
      env,
    )
    const report = JSON.parse(out)
    assert.equal(status, 0, out)
    const slow = report.properties.filter(
      (one: { verdict: string; needs?: readonly string[] }) =>
        one.verdict === 'not judged' && one.needs?.join() === 'a run without --quick',
    )
    assert.equal(slow.length, 4)
    assert.equal(report.passed + slow.length, report.properties.length)
    assert.match(err, /\[1\/\d+\] ✓ /)
    assert.deepEqual(
      new Set(told.map((action) => (action as { do: string }).do)),
      new Set(['restart', 'clock', 'delay', 'storeFailure']),
    )
    assert.match(await readFile(junit, 'utf8'), /<testsuite name="receiver" [^>]*failures="0"/)
  })

  it('judges through a command, which is restarted by another', async () => {
    const command = join(folder, 'probe.mjs')
    await writeFile(
      command,
      `import { text } from 'node:stream/consumers'
       const { do: what, ids = [], reviewCaseIds = [] } = JSON.parse(await text(process.stdin))
       const query = new URLSearchParams({ ids, reviewCaseIds })
       if (what === 'read') {
         const { can, ...seen } = await (await fetch('${probeUrl}?' + query)).json()
         console.log(JSON.stringify(seen))
       }`,
    )
    const { status, out } = await run(
      [
        ...['receiver', ...keys(), '--probe-command', `node '${command}'`],
        ...['--restart', `curl -sf -d '{"do":"restart"}' ${probeUrl}`],
        ...['--quick', '--budget', '60', '--runs', '1', '--only', 'ordering.head'],
        ...['--only', 'ordering.restart', '--only', 'idempotency.restart', '--quiet'],
      ],
      env,
    )
    assert.equal(status, 0, out)
    assert.match(out, /3 properties: 3 passed, 0 failed, 0 not judged/)
  })

  it('waits for the end of a restart, not of the receiver that it leaves running', async () => {
    const pids = join(folder, 'pids')
    const restart = `curl -sf -d '{"do":"restart"}' ${probeUrl} && { sleep 600 2>/dev/null & echo $! >> '${pids}'; }`
    const { status, out } = await run(
      [
        ...['receiver', ...keys(), '--probe', probeUrl, '--restart', restart],
        ...['--only', 'idempotency.restart', '--quiet'],
      ],
      env,
    )
    const left = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
    for (const pid of left) process.kill(pid)
    assert.equal(status, 0, out)
    assert.equal(left.length, 5)
  })

  it('exits 1 with a transcript and a command to replay it that tells no secret', async () => {
    const wrong = await startPlainReceiver(verifying, {
      answer: (_, isNew) => ({ status: isNew ? 204 : 409 }),
    })
    try {
      const { status, out } = await run(
        ['receiver', `--url=${wrong.url}`, '--secret', secret, '--only', 'idempotency', '--quiet'],
        env,
      )
      assert.equal(status, 1)
      assert.match(out, /FAILED {2}idempotency\.acknowledged/)
      assert.match(out, /copy 2.* → 409 in \d+ ms {2}✗ expected 2xx/)
      assert.ok(
        out.includes(
          `Again: countersign-conformance receiver --url ${wrong.url} --secret … --quiet`,
        ),
        out,
      )
      assert.ok(!out.includes(secret))
    } finally {
      await wrong.close()
    }
  })

  it('exits 0 for hardening unless it is strict, and for what is excepted with a reason', async () => {
    const loose = await startPlainReceiver(verifying, { refused: () => ({ status: 500 }) })
    try {
      const scope = ['receiver', `--url=${loose.url}`, '--secret', secret, '--quiet']
      const only = [...scope, '--only', 'hygiene.refusal-status', '--only', 'hygiene.never-gone']
      const lenient = await run(only)
      assert.equal(lenient.status, 0, lenient.out)
      assert.match(lenient.out, /hygiene +1 of 2 passed, 1 failed/)
      assert.match(lenient.out, /FAILED {2}hygiene\.refusal-status {2}\(hardening\)/)
      assert.match(lenient.out, /1 failed \(1 of them hardening\)/)
      assert.match(lenient.out, /Shown how: .*README.*|Shown how: .*How a receiver keeps/)
      assert.equal((await run([...only, '--strict'])).status, 1)
      const except = ['--except', 'hygiene.refusal-status=the library throws']
      const excepted = await run([...only, '--strict', ...except])
      assert.equal(excepted.status, 0, excepted.out)
      assert.match(excepted.out, /EXCEPTED.*\n {2}! hygiene\.refusal-status: the library throws/)
      assert.match(excepted.out, /1 passed, 0 failed, 1 excepted, 0 not judged/)
    } finally {
      await loose.close()
    }
  })

  it('generates a pair when it is given no key, and prints its public half', async () => {
    const { status, err } = await run(['receiver', '--url', running.url, '--wait', '0', '--quiet'])
    assert.equal(status, 1)
    assert.match(err, /public key.*\n {2}whpk_\S+\n/)
  })

  it('exits 2 for wrong arguments, saying what was expected and what came', async () => {
    for (const [args, message] of [
      [[], /expected --url/],
      [['--url', 'ftp://host/'], /expected a URL with http or https, got ftp:\/\/host\//],
      [['--url', 'nowhere'], /expected a URL with http or https, got nowhere/],
      [['--url', 'http://h/', '--no-such'], /no-such/],
      [['--url', 'http://h/', 'more'], /more/],
      [['--url', 'http://h/', '--secret', 'whsec_'], /secret/],
      [['--url', 'http://h/', '--secret', 'env:NOWHERE'], /NOWHERE/],
      [['--url', 'http://h/', '--runs', 'many'], /--runs expected a whole number, got many/],
      [['--url', 'http://h/', '--runs', '0'], /runs as a whole number of at least 1, got 0/],
      [['--url', 'http://h/', '--except', 'hygiene.method'], /--except expected PROPERTY=REASON/],
      [
        ['--url', 'http://h/', '--except', 'hygiene=x'],
        /an exception for one property, got hygiene/,
      ],
      [
        ['--url', 'http://h/', '--except', 'hygiene.method='],
        /expected a reason for the exception/,
      ],
      [['--url', 'http://h/', '--budget', '0'], /budgetMs as a whole number of at least 1, got 0/],
      [['--url', 'http://h/', '--only', 'signatures'], /a property or a group, got signatures/],
      [['--url', 'http://h/', '--path', '0:1'], /one property for a path, got \d\d/],
      [['--url', 'http://h/', '--only', 'ordering.head', '--path', '0:x'], /a path such as 3:0:1/],
      [['--url', 'http://h/', '--probe', 'nowhere'], /--probe expected a URL .*, got nowhere/],
      [['--url', 'http://h/', '--restart', 'true'], /--restart expected a probe/],
      [['--url', 'http://h/', '--probe', 'http://h/', '--probe-command', 'x'], /got both/],
    ] as const) {
      const { status, err } = await run(['receiver', ...args])
      assert.equal(status, 2, err)
      assert.match(err, message)
    }
    assert.equal((await run([])).status, 2)
    assert.equal((await run(['reciever'])).status, 2)
  })

  it('exits 2 for a path that leads nowhere, and for a file that can’t be written', async () => {
    const scope = ['--only', 'rotation.unknown-key', '--quiet']
    for (const path of ['0:99', '0:99:1']) {
      const lost = await run(['receiver', ...keys(), ...scope, '--seed', '1', '--path', path], env)
      assert.equal(lost.status, 2, lost.out)
      assert.match(lost.err, new RegExp(`unknown-key has no history at path ${path} of seed 1`))
    }
    const junit = join(folder, 'nowhere', 'junit.xml')
    const unwritten = await run(['receiver', ...keys(), ...scope, '--junit', junit], env)
    assert.equal(unwritten.status, 2)
    assert.match(unwritten.err, /--junit: ENOENT/)
    assert.match(unwritten.out, /1 properties: 1 passed/)
  })

  it('exits 2 for a broken probe', async () => {
    for (const [option, message] of [
      [
        ['--probe', 'http://127.0.0.1:1/'],
        /the probe is broken: GET http:\/\/127\.0\.0\.1:1\/ failed/,
      ],
      [['--probe', running.url], /the probe is broken: GET .* expected 2xx, got 405/],
      [['--probe-command', 'exit 3'], /the probe is broken: `exit 3` ended with 3/],
      [['--probe-command', 'echo no'], /the probe is broken: expected JSON from `echo no`/],
      [['--probe-command', 'echo []'], /expected the answer to be an object, got \[\]/],
      [
        ['--probe-command', `echo '{"stored":[{"id":7}]}'`],
        /expected stored\[0\]\.id to be a string, got 7/,
      ],
      [
        ['--probe-command', `echo '{"stored":[],"can":["fly"]}'`],
        /expected can as a list of restart/,
      ],
    ] as const) {
      const { status, err } = await run(['receiver', ...keys(), ...option], env)
      assert.equal(status, 2, err)
      assert.match(err, message)
    }
  })

  it('tries itself on sound and broken receivers', async () => {
    const args = ['--self-test', '--only', 'rotation', '--runs', '5', '--json']
    const { status, out } = await run(['receiver', ...args])
    assert.equal(status, 0, out)
    const { rows, wrong } = JSON.parse(out)
    assert.equal(wrong, 0)
    assert.deepEqual(
      rows.map((row: { expected: string | null }) => row.expected),
      [null, null, 'rotation.unknown-key', 'rotation.every-key'],
    )
  })

  it('waits for a receiver that is not up yet, and for its probe', async () => {
    const slow = await startPlainReceiver(verifying)
    const { url, probe } = slow
    await slow.close()
    const judging = run(
      ['receiver', `--url=${url}`, ...keys().slice(2), '--only=rotation', '--wait=30'],
      env,
    )
    await probe.restart?.()
    const { status, out } = await judging
    await slow.close()
    assert.equal(status, 0, out)
  })

  it('tells its properties and its options', async () => {
    const list = await run(['receiver', '--list'])
    assert.equal(list.status, 0)
    assert.match(list.out, /^ordering\.head +the head of a case is the highest/m)
    const help = await run(['receiver', '--help'])
    assert.equal(help.status, 0)
    assert.match(help.out, /Exit status: 0 no required property failed, 1 one did/)
  })
})
