import { render } from 'preact'
import { App } from './app.tsx'
import { askAhead } from './client/ahead.ts'
import { preloadPage } from './pages.tsx'
import { applyPreferences } from './preferences.ts'

askAhead(location)
applyPreferences()
preloadPage(location.pathname)
const root = document.getElementById('app')
if (root) render(<App />, root)
