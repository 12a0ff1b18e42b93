import type { Observer } from '@countersign/core/ports'
import { type Logger, pino } from 'pino'

/** Structured logs on standard output, one JSON object a line. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: { service: 'countersign' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['password', 'token', 'secret', 'key'],
  })
}

/** Events that a person must see even at a level that hides the daily course. */
const troubling = /(fault|failed|error|lease_lost|stale_completion|turned_off|dead_letters)$/
/** What an archive of the log should hold to compare with later. */
const kept = /^audit\.head$/

/** Writes observed events to the log. */
export function logObserver(logger: Logger): Observer {
  return {
    event: (name, fields) => {
      if (troubling.test(name)) logger.warn({ event: name, ...fields })
      else if (kept.test(name)) logger.info({ event: name, ...fields })
      else logger.debug({ event: name, ...fields })
    },
  }
}

export function observers(...all: readonly Observer[]): Observer {
  return {
    event: (name, fields) => {
      for (const observer of all) observer.event(name, fields)
    },
  }
}
