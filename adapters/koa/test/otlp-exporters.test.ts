import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { collectorExport, javaScriptExport, spans, traces } from './otlp-exporters.ts'
import { openWorld, type World } from './world.ts'

describe('exports as exporters write them', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function post(text: string): Promise<void> {
    const answer = await world.call({
      host: 'ingest',
      method: 'POST',
      path: '/v1/ingest/otlp',
      as: world.home.app.ingest,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(text),
    })
    assert.deepEqual([answer.status, answer.json], [200, {}])
  }
  const read = async (path: string) => {
    const answer = await world.call({ host: 'portal', method: 'GET', path, as: world.auditor })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as Record<string, unknown>
  }

  test('what the collector writes, its ids in upper case', async () => {
    await post(collectorExport)
    const id = traces.collector
    const { sessionId, status, startedAt, agent, stepCount, errorCount, models } = await read(
      `/v1/sessions/${id}`,
    )
    assert.deepEqual(
      { sessionId, status, startedAt, agent, stepCount, errorCount, models },
      {
        sessionId: id,
        status: 'running',
        startedAt: '2026-01-01T00:00:00.000Z',
        agent: { name: 'claims.api', version: null },
        stepCount: 1,
        errorCount: 0,
        models: [],
      },
    )
    const step = await read(`/v1/sessions/${id}/steps/${id}-${spans.handler}`)
    assert.deepEqual(
      [step.parentStepId, step.name, step.type, step.status, step.startedAt, step.endedAt],
      [
        `${id}-${spans.caller}`,
        "POST the customer's claim",
        'other',
        'ok',
        '2026-01-01T00:00:00.000Z',
        '2026-01-01T00:00:02.000Z',
      ],
    )
    const { input, output, attributes } = step.payload as Record<string, unknown>
    assert.deepEqual([input, output], [null, null])
    assert.deepEqual(attributes, {
      'claim.region': 'north',
      'otel.kind': 'server',
      'otel.scope.name': 'claims.http',
      'otel.scope.version': '2.3.1',
      'otel.scope.attributes': { 'scope.team': 'payments' },
      'otel.resource': { 'service.name': 'claims.api' },
    })
  })

  test('what the exporter for JavaScript sends', async () => {
    await post(javaScriptExport)
    const trace = traces.javaScript
    const session = await read('/v1/sessions/claim-42')
    assert.deepEqual(
      [session.agent, session.models, session.stepCount, session.inputTokens, session.startedAt],
      [{ name: 'adjuster', version: null }, ['small-model'], 2, 31, '2026-01-01T00:00:00.249Z'],
    )
    const { steps } = (await read('/v1/sessions/claim-42/steps')) as {
      readonly steps: readonly Record<string, unknown>[]
    }
    assert.deepEqual(
      steps.map(({ stepId, parentStepId, type, name }) => [stepId, parentStepId, type, name]),
      [
        [`${trace}-${spans.root}`, null, 'agent', 'invoke_agent adjuster'],
        [`${trace}-${spans.handler}`, `${trace}-${spans.root}`, 'llm', 'chat small-model'],
      ],
    )
    const { payload } = await read(`/v1/sessions/claim-42/steps/${trace}-${spans.handler}`)
    const { attributes } = payload as { readonly attributes: Record<string, unknown> }
    assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['length'])
    assert.deepEqual(attributes['otel.events'], [
      { name: 'retried', time: '2026-01-01T00:00:00.250Z', attributes: { times: 2 } },
    ])
  })
})
