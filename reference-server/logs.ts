import { type Observer, observedEvents } from '@countersign/core/ports'
import { type Logger, pino } from 'pino'

/** The descriptor of standard output, where a server logs, or of standard error, where a command does beside its result. */
export type LogStream = 1 | 2

/** Structured logs, one JSON object a line. */
export function createLogger(level: string, stream: LogStream = 1): Logger {
  return pino(
    {
      level,
      base: { service: 'countersign' },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['password', 'token', 'secret', 'key'],
    },
    pino.destination({ fd: stream, sync: true }),
  )
}

/** Writes observed events to the log, each at the level that its declaration names. */
export function logObserver(logger: Logger): Observer {
  return {
    event: (name, facts) => logger[observedEvents[name].severity]({ event: name, ...facts }),
  }
}

export function observers(...all: readonly Observer[]): Observer {
  return {
    event: (...told) => {
      for (const observer of all) observer.event(...told)
    },
  }
}
