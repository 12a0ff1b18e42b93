import { readFileSync } from 'node:fs'
import { ingestHeaders } from '@countersign/receiver-kit/ingest'
import { type Attributes, type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'

/** A made-up agent whose work is traced by OpenTelemetry's own SDK and sent by its OTLP exporter. */
export interface Agent {
  /** Asks a model, looks an order up and wants to pay; the spans go out in the background. */
  run(sessionId: string, amount: number): void
  /** Resolves once all spans are exported, those that the exporter gave up once more; rejects when it gave some up again. */
  flush(): Promise<void>
  /** The steps that its spans must become: `<traceId>-<spanId>` of each. */
  stepIds(): readonly string[]
  close(): Promise<void>
}

/** Traces to the ingest host with a customer key. */
export function startAgent(options: {
  readonly origin: string
  readonly caFile: string
  readonly key: string
}): Agent {
  const givenUp: ReadableSpan[] = []
  const stepIds: string[] = []
  const exporter = new OTLPTraceExporter({
    url: `${options.origin}/v1/ingest/otlp`,
    headers: ingestHeaders(options.key),
    httpAgentOptions: { ca: readFileSync(options.caFile), keepAlive: true },
    // The enum that has it is not exported by this package.
    compression: 'gzip' as never,
  })
  const processor = new BatchSpanProcessor(
    {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          if (result.code !== 0) givenUp.push(...spans)
          done(result)
        }),
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush(),
    },
    { scheduledDelayMillis: 100 },
  )
  const provider = new BasicTracerProvider({ spanProcessors: [processor] })
  const tracer = provider.getTracer('payment-assistant', '1.0.0')

  function start(name: string, above: Context, attributes: Attributes) {
    const span = tracer.startSpan(name, { attributes }, above)
    const { traceId, spanId } = span.spanContext()
    stepIds.push(`${traceId}-${spanId}`)
    return span
  }

  return {
    run: (sessionId, amount) => {
      const root = start('invoke_agent payment-assistant', ROOT_CONTEXT, {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'payment-assistant',
        'session.id': sessionId,
        'user.id': 'customer-77',
      })
      const within = trace.setSpan(ROOT_CONTEXT, root)
      start('chat gpt-4o', within, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 34,
        'input.value': 'Please pay the open order of ACME GmbH.',
        'output.value': `I will pay ${amount} EUR.`,
      }).end()
      start('execute_tool orders.find', within, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'orders.find',
        'gen_ai.tool.call.result': JSON.stringify({ order: 4711, amount }),
      }).end()
      start('execute_tool payments.transfer', within, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'payments.transfer',
        'gen_ai.tool.call.arguments': JSON.stringify({ to: 'ACME GmbH', amount }),
        'countersign.checkpoint.id': `pay-${sessionId}`,
        'countersign.resume_token': `resume-${sessionId}`,
        amount,
      }).end()
      root.end()
    },
    flush: async () => {
      await provider.forceFlush()
      const spans = givenUp.splice(0)
      if (spans.length === 0) return
      await new Promise<void>((resolve, reject) => {
        exporter.export(spans, ({ code, error }) => (code === 0 ? resolve() : reject(error)))
      })
    },
    stepIds: () => stepIds,
    close: () => provider.shutdown(),
  }
}
