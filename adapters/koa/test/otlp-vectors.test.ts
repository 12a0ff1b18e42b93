import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openWorld, type World } from './world.ts'

const vectors = fileURLToPath(new URL('../../../../../shared/vectors/otlp/', import.meta.url))

describe('published exports', { skip: existsSync(vectors) ? false : 'no vectors' }, () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function post(name: string): Promise<void> {
    const answer = await world.call({
      host: 'ingest',
      method: 'POST',
      path: '/v1/ingest/otlp',
      as: world.home.app.ingest,
      headers: { 'content-type': 'application/json' },
      body: readFileSync(`${vectors}${name}`),
    })
    assert.deepEqual([answer.status, answer.json], [200, {}])
  }
  const read = async (path: string) => {
    const answer = await world.call({ host: 'portal', method: 'GET', path, as: world.auditor })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as Record<string, unknown>
  }

  test('the example of opentelemetry-proto, its ids in upper case', async () => {
    await post('opentelemetry-proto-trace.json')
    const id = '5b8efff798038103d269b633813fc60c'
    const { sessionId, status, startedAt, agent, stepCount, errorCount, models } = await read(
      `/v1/sessions/${id}`,
    )
    assert.deepEqual(
      { sessionId, status, startedAt, agent, stepCount, errorCount, models },
      {
        sessionId: id,
        status: 'running',
        startedAt: '2018-12-13T14:51:00.000Z',
        agent: { name: 'my.service', version: null },
        stepCount: 1,
        errorCount: 0,
        models: [],
      },
    )
    const step = await read(`/v1/sessions/${id}/steps/${id}-eee19b7ec3c1b174`)
    assert.deepEqual(
      [step.parentStepId, step.name, step.type, step.status, step.startedAt, step.endedAt],
      [
        `${id}-eee19b7ec3c1b173`,
        "I'm a server span",
        'other',
        'ok',
        '2018-12-13T14:51:00.000Z',
        '2018-12-13T14:51:01.000Z',
      ],
    )
    const { input, output, attributes } = step.payload as Record<string, unknown>
    assert.deepEqual([input, output], [null, null])
    assert.deepEqual(attributes, {
      'my.span.attr': 'some value',
      'otel.scope.name': 'my.library',
      'otel.scope.version': '1.0.0',
      'otel.resource': { 'service.name': 'my.service' },
    })
  })

  test('what the exporter for JavaScript sends', async () => {
    await post('otlp-js-0.205-real-export.json')
    const trace = 'ff0068b06e945e4f55aa3d884f3216e8'
    const session = await read('/v1/sessions/s-1')
    assert.deepEqual(
      [session.agent, session.models, session.stepCount, session.inputTokens, session.startedAt],
      [{ name: 'support', version: null }, ['gpt-4o'], 2, 12, '2026-11-20T12:29:04.485Z'],
    )
    const { steps } = (await read('/v1/sessions/s-1/steps')) as {
      readonly steps: readonly Record<string, unknown>[]
    }
    assert.deepEqual(
      steps.map(({ stepId, parentStepId, type, name }) => [stepId, parentStepId, type, name]),
      [
        [`${trace}-110baa9eb60c2db2`, null, 'agent', 'invoke_agent support'],
        [`${trace}-1d51c00fd48efd0d`, `${trace}-110baa9eb60c2db2`, 'llm', 'chat gpt-4o'],
      ],
    )
    const { payload } = await read(`/v1/sessions/s-1/steps/${trace}-1d51c00fd48efd0d`)
    const { attributes } = payload as { readonly attributes: Record<string, unknown> }
    assert.deepEqual(attributes['gen_ai.response.finish_reasons'], ['stop'])
    assert.deepEqual(attributes['otel.events'], [
      { name: 'x', time: '2026-11-20T12:29:04.486Z', attributes: { a: 1 } },
    ])
  })
})
