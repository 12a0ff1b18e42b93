import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { composeServer, type Server } from '../compose.ts'
import { readConfig } from '../config.ts'
import { granted } from '../seed.ts'
import { ownPorts } from './own-ports.ts'

const password = 'correct horse battery'

/** The composed server on SQLite and loopback, with an organization whose backend has a customer key. */
async function open() {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-otel-'))
  const [ingest = 0, portal = 0, staff = 0] = await ownPorts(3)
  const secret = () => randomBytes(32).toString('base64')
  const server: Server = await composeServer(
    readConfig({
      COUNTERSIGN_DATABASE: join(directory, 'countersign.sqlite'),
      COUNTERSIGN_MASTER_KEY: secret(),
      COUNTERSIGN_SESSION_SECRET: secret(),
      COUNTERSIGN_INGEST_PORT: String(ingest),
      COUNTERSIGN_PORTAL_PORT: String(portal),
      COUNTERSIGN_STAFF_PORT: String(staff),
      COUNTERSIGN_INGEST_URL: `http://127.0.0.1:${ingest}`,
      COUNTERSIGN_PORTAL_URL: `http://127.0.0.1:${portal}`,
      COUNTERSIGN_LOG_LEVEL: 'error',
    }),
  )
  await server.start()
  const { applications, auth, customerKeys, tenants } = server.service
  const system = { kind: 'system' } as const
  const admin = { name: 'Ada', email: 'ada@acme.example', password }
  const made = granted(await tenants.create(system, { name: 'Acme', admin }))
  const { tenantId } = made.tenant
  const actor = { kind: 'member', tenantId, ...made.admin } as const
  const { applicationId } = granted(await applications.create(actor, { name: 'Assistant' }))
  const issued = granted(
    await customerKeys.provision(system, { tenantId, applicationId, type: 'primary ingest' }),
  )
  const session = granted(await auth.login({ email: admin.email, password, address: '127.0.0.1' }))

  /** The portal, as the admin. */
  async function ask(method: string, path: string, body?: object) {
    const answer = await fetch(`http://127.0.0.1:${portal}${path}`, {
      method,
      headers: {
        cookie: `service_customer_token=${session.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, `${method} ${path}: ${text}`)
    return JSON.parse(text)
  }

  return {
    ask,
    applicationId,
    ingestUrl: `http://127.0.0.1:${ingest}`,
    key: issued.value.split('.').at(-1) ?? '',
    close: async () => {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Each at a path that the exporter may be given: its endpoint, or the endpoint of all signals. */
const exporters = {
  JSON: { Exporter: JsonExporter, path: '/v1/ingest/otlp' },
  protobuf: { Exporter: ProtobufExporter, path: '/v1/ingest/otlp/v1/traces' },
} as const

for (const [encoding, { Exporter, path }] of Object.entries(exporters))
  describe(`an agent traced by the SDK of OpenTelemetry, in ${encoding}`, () => {
    let world: Awaited<ReturnType<typeof open>>
    before(async () => {
      world = await open()
    })
    after(() => world.close())

    /**
     * An agent that asks a model, looks up an order, and wants to pay. Its spans end before their root, which alone names
     * the session; `requests`: with it, in one export, or before it, in exports of their own.
     */
    async function runAgent(sessionId: string, requests: 'together' | 'apart'): Promise<void> {
      const failures: unknown[] = []
      const exporter = new Exporter({
        url: `${world.ingestUrl}${path}`,
        headers: { 'x-api-key': world.key },
        // The enum that has it is not exported by this package.
        compression: 'gzip' as never,
      })
      const Processor = requests === 'together' ? BatchSpanProcessor : SimpleSpanProcessor
      const provider = new BasicTracerProvider({
        spanProcessors: [
          new Processor({
            export: (spans, done) =>
              exporter.export(spans, (result) => {
                if (result.code !== 0) failures.push(result.error)
                done(result)
              }),
            shutdown: () => exporter.shutdown(),
            forceFlush: () => exporter.forceFlush(),
          }),
        ],
      })
      const tracer = provider.getTracer('agent', '1.0.0')
      const step = (name: string, above: Context, attributes: Record<string, string | number>) =>
        tracer.startSpan(name, { attributes }, above)

      const root = step('invoke_agent assistant', ROOT_CONTEXT, {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'assistant',
        'session.id': sessionId,
        'user.id': 'customer-77',
      })
      const within = trace.setSpan(ROOT_CONTEXT, root)
      const chat = step('chat gpt-4o', within, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 34,
        'input.value': 'Pay the order of customer-77, please. 😀',
        'output.value': 'I will pay 1200 EUR.',
      })
      chat.end()
      const lookup = step('execute_tool orders.find', within, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'orders.find',
      })
      lookup.setStatus({ code: SpanStatusCode.ERROR, message: 'no such order' })
      lookup.end()
      const pay = step('execute_tool payments.transfer', within, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'payments.transfer',
        'countersign.checkpoint.id': 'pay-1',
        'gen_ai.tool.call.arguments': '{"amount":1200}',
        amount: 1200,
      })
      pay.end()
      if (requests === 'apart') await provider.forceFlush()
      root.end()
      await provider.forceFlush()
      await provider.shutdown()
      assert.deepEqual(failures, [])
    }

    test('leaves a session, its steps and a case that a human decides', async () => {
      const { ask, applicationId } = world
      await ask('PUT', `/v1/applications/${applicationId}/policy-rules`, {
        ruleSetVersion: 0,
        rules: [
          {
            name: 'Large transfers',
            match: {
              toolNames: ['payments.*'],
              attributes: [{ key: 'amount', op: 'gte', value: 1000 }],
            },
            effect: 'require_review',
            reasonCategory: 'high_risk_action',
            reviewTier: 'high',
          },
        ],
      })
      await runAgent('run-1', 'together')

      const { reviewCases } = await ask('GET', '/v1/review-cases?state=open')
      assert.equal(reviewCases.length, 1)
      const { reviewCaseId, sessionId, reviewTier } = reviewCases[0]
      assert.deepEqual([sessionId, reviewTier], ['run-1', 'high'])
      const claimed = await ask('POST', `/v1/review-cases/${reviewCaseId}/claim`, {})
      assert.equal(claimed.presentation.step.toolName, 'payments.transfer')
      assert.equal(JSON.stringify(claimed.presentation).includes('customer-77'), false)
      const decided = await ask('POST', `/v1/review-cases/${reviewCaseId}/decide`, {
        caseVersion: claimed.caseVersion,
        presentationDigest: claimed.presentationDigest,
        decision: 'approved',
      })
      assert.equal(decided.state, 'decided')

      const evidence = await ask('GET', '/v1/sessions/run-1/evidence?format=json')
      const { session, steps, policyResults, reviewCases: cases } = evidence
      assert.deepEqual(
        [
          session.origin,
          session.stepCount,
          session.errorCount,
          session.inputTokens,
          session.models,
        ],
        ['otlp', 4, 1, 12, ['gpt-4o']],
      )
      assert.deepEqual(session.agent, { name: 'assistant', version: null })
      assert.match(session.dataSubjectId, /^sub_/)
      const kinds = steps.map((each: { type: string; name: string; status: string }) =>
        [each.type, each.name, each.status].join(' '),
      )
      assert.deepEqual(kinds.toSorted(), [
        'agent invoke_agent assistant ok',
        'llm chat gpt-4o ok',
        'tool execute_tool orders.find error',
        'tool execute_tool payments.transfer ok',
      ])
      const chat = steps.find((each: { type: string }) => each.type === 'llm')
      assert.equal(chat.payload.input, 'Pay the order of customer-77, please. 😀')
      assert.equal(chat.payload.output, 'I will pay 1200 EUR.')
      assert.deepEqual(
        policyResults.map((each: { ruleName: string; reviewCaseId: string }) => [
          each.ruleName,
          each.reviewCaseId,
        ]),
        [['Large transfers', reviewCaseId]],
      )
      assert.deepEqual(
        cases.map((each: { decision: string }) => each.decision),
        ['approved'],
      )
    })

    test('that sends each span by itself, its root last, leaves the same under the name of the root', async () => {
      const { ask } = world
      await runAgent('run-2', 'apart')
      // The spans before the root lay under their trace, and are moved by a work item.
      const moved = async () =>
        (await ask('GET', '/v1/sessions')).sessions.every(({ sessionId }: { sessionId: string }) =>
          sessionId.startsWith('run-'),
        )
      await until(moved)

      const { reviewCases } = await ask('GET', '/v1/review-cases?state=open')
      assert.deepEqual(
        reviewCases.map((each: { sessionId: string }) => each.sessionId),
        ['run-2'],
      )
      const [{ reviewCaseId }] = reviewCases
      const evidence = await ask('GET', '/v1/sessions/run-2/evidence?format=json')
      const { session, steps, policyResults, reviewCases: cases } = evidence
      assert.deepEqual(
        [session.stepCount, session.errorCount, session.inputTokens, session.models],
        [4, 1, 12, ['gpt-4o']],
      )
      assert.deepEqual(session.agent, { name: 'assistant', version: null })
      assert.match(session.dataSubjectId, /^sub_/)
      const chat = steps.find((each: { type: string }) => each.type === 'llm')
      assert.equal(chat.payload.input, 'Pay the order of customer-77, please. 😀')
      assert.equal(policyResults[0].reviewCaseId, reviewCaseId)
      assert.equal(cases[0].reviewCaseId, reviewCaseId)
      const [traceId] = steps[0].stepId.split('-')
      const byTrace = await ask('GET', `/v1/sessions/${traceId}`)
      assert.equal(byTrace.sessionId, 'run-2')
    })
  })

/** Asks again, after other work of this process, until the answer is yes. */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await setImmediate()
}
