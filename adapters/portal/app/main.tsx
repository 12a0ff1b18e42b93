import { render } from 'preact'
import { App } from './app.tsx'
import { preloadPage } from './pages.tsx'
import { keepPreferences } from './preferences.ts'

keepPreferences()
preloadPage(location.pathname)
const root = document.getElementById('app')
if (root) render(<App />, root)
