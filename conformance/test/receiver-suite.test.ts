import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { brokenReceivers, startPlainReceiver } from '@countersign/conformance/broken'
import {
  commandProbe,
  junitReport,
  type Probe,
  ProbeError,
  type Progress,
  properties,
  runReceiverSuite,
  type Start,
  textReport,
  UsageError,
} from '@countersign/conformance/receiver'
import { secret, signing, verifying } from './receiver-targets.ts'

describe('the receiver suite', () => {
  it('passes a plain receiver without fault, over a probe that answers with everything', async () => {
    const running = await startPlainReceiver(verifying)
    try {
      const everything = new Set<string>()
      const cases = new Set<string>()
      const probe: Probe = {
        ...running.probe,
        read({ ids, reviewCaseIds }) {
          for (const id of ids) everything.add(id)
          for (const id of reviewCaseIds) cases.add(id)
          return running.probe.read({ ids: [...everything], reviewCaseIds: [...cases] })
        },
      }
      const report = await runReceiverSuite({
        ...signing,
        ...{ url: running.url, probe, quick: true, runs: 3, budgetMs: 150_000 },
        only: ['reading', 'idempotency', 'ordering', 'acknowledgement', 'forward'],
      })
      assert.equal(report.failed, 0, textReport(report))
      assert.ok(report.passed > 20, textReport(report))
    } finally {
      await running.close()
    }
  })

  it('begins no property any more once its signal is aborted, and tells what it judged', async () => {
    const running = await startPlainReceiver(verifying)
    const { url, probe } = running
    const ended = new AbortController()
    try {
      const report = await runReceiverSuite({
        ...{ ...signing, url, probe, lanes: 1, only: ['signature'], signal: ended.signal },
        onProgress: () => ended.abort(),
      })
      assert.equal(report.passed, 1, textReport(report))
      assert.equal(report.failed, 0, textReport(report))
      assert.equal(report.notJudged, report.properties.length - 1)
      const played = report.properties.filter(({ histories }) => histories > 0)
      assert.equal(played.length, 1, 'of the others nothing was sent')
      const early = await runReceiverSuite({ ...signing, url, probe, signal: AbortSignal.abort() })
      assert.equal(early.passed, 0, textReport(early))
      assert.equal(early.failed, 0, textReport(early))
    } finally {
      await running.close()
    }
  })

  it('fails every property of a dead receiver, those of refusals included', async () => {
    const running = await startPlainReceiver(verifying)
    const { url, probe } = running
    await running.close()
    const steps: string[] = []
    const onProgress = ({ property }: Progress) => void steps.push(property.name)
    const report = await runReceiverSuite({ ...signing, url, probe, onProgress })
    assert.equal(report.failed, properties.length)
    assert.deepEqual(steps, [], 'nothing is played')
    assert.match(report.unusable ?? '', /no answer to a plain delivery: ECONNREFUSED/)
    assert.match(
      textReport(report),
      /^Nothing was judged of http.*: no answer.*ECONNREFUSED in \d+ ms\n$/,
    )
  })

  it('fails every property of a receiver that refuses everything', async () => {
    const running = await startPlainReceiver(verifying, { before: () => ({ status: 401 }) })
    try {
      const report = await runReceiverSuite({ ...signing, url: running.url })
      assert.equal(report.failed, properties.length)
      assert.match(report.unusable ?? '', /got 401.*does the receiver have the key/)
      assert.match(
        textReport(report),
        /^Nothing was judged of http.*: a plain, properly signed event got 401.*\n$/,
      )
    } finally {
      await running.close()
    }
  })

  it('judges statuses alone without a probe, and says what the rest would need', async () => {
    const running = await startPlainReceiver(verifying)
    try {
      const starts: Start[] = []
      const report = await runReceiverSuite({
        ...{ url: running.url, keys: [secret], quick: true, budgetMs: 60_000 },
        onStart: (start) => void starts.push(start),
      })
      assert.equal(report.failed, 0, textReport(report))
      assert.equal(starts.length, 1)
      const told = starts.flatMap(({ lacking }) => lacking)
      const unable = report.properties.filter(
        (one) => one.verdict === 'not judged' && one.wantOf === 'ability',
      )
      assert.deepEqual(
        new Set(told.flatMap(({ properties }) => properties)),
        new Set(unable.map(({ name }) => name)),
      )
      const legacy = told.filter(({ need }) => need === 'legacy')
      assert.deepEqual(
        legacy.map(({ how }) => how),
        ['the secret of the legacy family (--legacy-secret)'],
      )
      const unjudged = report.properties.filter((one) => one.verdict === 'not judged')
      const names = unjudged.map(({ name }) => name)
      for (const name of ['idempotency.one-effect', 'ordering.head', 'timestamp.exact'])
        assert.ok(names.includes(name), name)
      assert.ok(unjudged.every(({ needs }) => needs.length > 0))
      const text = textReport(report)
      assert.match(text, /NOT JUDGED, which is no pass/)
      assert.match(text, /– needs two or more keys .*:\n.*rotation\.every-key/)
      assert.match(text, /– needs a probe \(--probe URL.*:\n(?: {6,}.*\n)*.*ordering\.head/)
      assert.equal(text.match(/secret of the legacy/g)?.length, 1, 'named once')
    } finally {
      await running.close()
    }
  })

  it('replays a counterexample by seed and path', async () => {
    const broken = brokenReceivers.find(({ name }) => name === 'checks the first signature only')
    const running = await startPlainReceiver(verifying, broken?.change())
    try {
      const only = ['signature.one-of-many']
      const options = { ...signing, url: running.url, only }
      const first = await runReceiverSuite(options)
      const [failed] = first.properties
      assert.ok(failed?.verdict === 'failed')
      const { seed, path } = failed.failure
      const again = await runReceiverSuite({ ...options, seed, path: path ?? '' })
      const [replayed] = again.properties
      assert.ok(replayed?.verdict === 'failed')
      const plain = (lines: readonly string[]) =>
        lines.map((line) => line.replaceAll(/(evt|rc)_…\w+|in \d+ ms/g, ''))
      assert.deepEqual(plain(replayed.failure.transcript), plain(failed.failure.transcript))
      assert.equal(replayed.histories, 1)
      assert.match(
        textReport(first, { command: 'again' }),
        /again --only signature\.one-of-many --seed -?\d+ --path [\d:]+/,
      )
      await assert.rejects(
        runReceiverSuite({ ...options, only: ['signature'], path: '0' }),
        UsageError,
      )
    } finally {
      await running.close()
    }
  })

  it('calls a broken probe broken, at the first read and later', async () => {
    const running = await startPlainReceiver(verifying)
    try {
      const { url, probe } = running
      const dead: Probe = { read: () => Promise.reject(new ProbeError('gone')) }
      await assert.rejects(runReceiverSuite({ ...signing, url, probe: dead }), ProbeError)
      let reads = 0
      const dying: Probe = {
        ...probe,
        read: (asked) =>
          ++reads > 20 ? Promise.reject(new ProbeError('gone')) : probe.read(asked),
      }
      await assert.rejects(runReceiverSuite({ ...signing, url, probe: dying }), ProbeError)
    } finally {
      await running.close()
    }
  })

  it('calls a command that does not end broken, and ends what it started', {
    skip: process.platform !== 'linux' && 'what a process is doing is read from /proc',
  }, async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'countersign-')), 'pid')
    writeFileSync(file, '')
    const command = `sleep 30 & echo $! > ${file}; wait`
    let started = 0
    // A busy machine may take longer than that to start a shell.
    while (started === 0) {
      await assert.rejects(commandProbe(command, 200), (error) => {
        assert.ok(error instanceof ProbeError)
        assert.match(error.message, /wait` did not end within 200 ms/)
        return true
      })
      started = Number(readFileSync(file, 'utf8'))
    }
    // An ended process stays for its parent to ask until then.
    const isEnded = () => {
      try {
        return readFileSync(`/proc/${started}/stat`, 'utf8').includes(') Z ')
      } catch {
        return true
      }
    }
    for (let tries = 0; !isEnded() && tries < 400; tries++) await setTimeout(5)
    assert.ok(isEnded())
    rmSync(dirname(file), { recursive: true })
  })

  it('sees an effect of a forged message that comes after its property has ended', async () => {
    const late = new Set<string>()
    const running = await startPlainReceiver(verifying, {
      before({ method, body, joined }) {
        if (!joined['webhook-signature']) late.add(JSON.parse(Buffer.from(body).toString()).id)
        return method === 'POST' ? null : { status: 405 }
      },
    })
    try {
      let swept = false
      const probe: Probe = {
        ...running.probe,
        async read(asked) {
          const seen = await running.probe.read(asked)
          swept ||= asked.ids.length > 50
          if (!swept) return seen
          return { ...seen, effects: [...late].map((id) => ({ id, count: 1 })) }
        },
      }
      const only = ['signature.missing', 'reading.no-effect', 'signature.wrong-key']
      // Another seed may draw too few forged messages for the sweep to be told by its size.
      const drawn = { ...signing, seed: 1, url: running.url, probe, only }
      const report = await runReceiverSuite(drawn)
      const found = report.properties.find(({ name }) => name === 'reading.no-effect')
      assert.ok(found?.verdict === 'failed', textReport(report))
      assert.match(found.failure.found, /read at the end, had an effect/)
    } finally {
      await running.close()
    }
  })

  it('keeps the history that took the receiver down, and its probe with it', async () => {
    const running = await startPlainReceiver(verifying, {
      before({ body, method }) {
        if (Buffer.from(body).includes('<html>')) void running.close()
        return method === 'POST' ? null : { status: 405 }
      },
    })
    const { url, probe } = running
    const alike: Probe = {
      read: async (asked) => {
        const alive = await fetch(url).then(Boolean, () => false)
        if (!alive) throw new ProbeError('ECONNREFUSED')
        return probe.read(asked)
      },
    }
    const only = ['timestamp.no-time', 'reading', 'challenge']
    const report = await runReceiverSuite({ ...signing, url, probe: alike, only, lanes: 1 })
    assert.equal(report.goneIn, 'reading.verify-first')
    const found = report.properties.find(({ name }) => name === report.goneIn)
    assert.ok(found?.verdict === 'failed')
    const { transcript } = found.failure
    assert.match(transcript.join('\n'), /a body /)
    assert.equal(transcript.at(-1), '   from here on the receiver answers nothing')
    assert.match(textReport(report), /DIED\n {2}The receiver died in reading\.verify-first/)
    assert.equal(report.properties.at(-1)?.verdict, 'failed')
  })

  it('takes a dropped connection at a time of hundreds of digits for a lack of hardening', async () => {
    // As Python's standard library does, whose int() throws.
    const server = http.createServer((request, response) => {
      if (String(request.headers['webhook-timestamp']).length > 300) request.socket.destroy()
      else forward(request, response)
    })
    const running = await startPlainReceiver(verifying)
    const forward = (request: http.IncomingMessage, response: http.ServerResponse) => {
      const { method, headers } = request
      const onwards = http.request(running.url, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502)
        answer.pipe(response)
      })
      request.pipe(onwards.on('error', () => response.destroy()))
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const report = await runReceiverSuite({ ...signing, url, only: ['timestamp'], quick: true })
      const failed = report.properties.filter(({ verdict }) => verdict === 'failed')
      assert.deepEqual(
        failed.map(({ name, level }) => [name, level]),
        [['timestamp.endless', 'hardening']],
      )
    } finally {
      server.close()
      server.closeAllConnections()
      await running.close()
    }
  })

  it('takes a hanging receiver for one that is late', async () => {
    const server = http.createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const url = `http://127.0.0.1:${port}/`
      const report = await runReceiverSuite({ url, keys: [secret], deadlineMs: 50 })
      assert.equal(report.passed, 0)
      assert.match(report.unusable ?? '', /no answer in time/)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it('reports as JUnit XML that holds whatever an answer holds', async () => {
    const running = await startPlainReceiver(verifying, {
      admit: () => ({ status: 200, body: { note: '<&"\u0001]]>' } }),
    })
    try {
      const only = ['signature.one-of-many', 'ordering', 'idempotency.acknowledged']
      const report = await runReceiverSuite({ url: running.url, keys: [secret], only, runs: 3 })
      const failing = {
        ...report,
        properties: report.properties.map((one) =>
          one.verdict === 'passed'
            ? {
                ...one,
                verdict: 'failed' as const,
                advice: 'a < b',
                exception: null,
                failure: {
                  exchanges: [],
                  cameAgain: null,
                  found: 'got "<&\u0001>"',
                  transcript: ['1. ]]>'],
                  deliveries: 1,
                  shrinks: 0,
                  seed: 1,
                  path: null,
                },
              }
            : one,
        ),
      }
      const xml = junitReport(failing)
      assert.match(xml, /<skipped message="not judged: needs a probe \(--probe URL/)
      assert.match(xml, /<failure message="got &quot;&lt;&amp;\uFFFD&gt;&quot;">/)
      assert.match(xml, /1\. \]\]&gt;/)
      assert.doesNotMatch(xml.replaceAll(/<\/?[a-z?][^<>]*>/g, ''), /[<>]/)
    } finally {
      await running.close()
    }
  })
})
