/** German texts of the node help, except those taken from declarations. */
import type { HelpWords } from "./help-en";

export const germanHelp: HelpWords = {
  headings: {
    fields: "Felder",
    outputs: "Ausgaben",
    details: "Details",
    errors: "Fehler",
    references: "Referenzen",
    settings: "Einstellungen",
    changes: "Änderungen",
    status: "Zustand",
  },
  summaries: {
    "cash.getPosition":
      "Liefert die Salden aller Konten mit Summen je Währung. Mit `into` und `rates` auch eine umgerechnete Summe.",
    "transactions.find":
      "Findet Umsätze über alle Konten nach Zeitraum, Betrag, Gegenseite oder Text, mit Summen je Währung.",
    "transactions.summarize": "Summiert Umsätze nach Monat, Gegenseite, Konto, Währung, Richtung oder Art.",
    "transactions.reconcile":
      "Gleicht erwartete Zahlungen, etwa offene Rechnungen, mit den Umsätzen eines Zeitraums ab und liefert Zuordnungen, offene Posten und nicht zugeordnete Umsätze.",
    "statements.fetch": "Lädt die Kontoauszüge aller Konten für einen Zeitraum als PDF, CSV, MT940 oder XLS.",
    "forwards.list":
      "Listet offene Termingeschäfte mit Restbeträgen, Kursen und Fälligkeiten, offene Abrufe, Margin und Summen je Währung und Monat.",
    "exposure.get":
      "Berechnet das Währungsrisiko je Laufzeit: erwartete Zahlungen und Salden, absichernde Geschäfte und die offene Nettoposition.",
    "accounts.list": "Listet die Konten in den angegebenen Währungen, mit IDs, Namen und Status.",
    "accountDetails.list":
      "Listet eigene und gemeinsame (pooled) Kontoverbindungen, an die Kunden zahlen: IBAN, BIC und Bank.",
    "accounts.getFunding":
      "Liefert das Konto, auf das der Client Geld für seine Geschäfte einzahlen muss, für eine Währung oder ein Konto.",
    "transactions.get": "Liefert einen Umsatz nach seiner ID, mit Gegenseite, Referenz und Verwendungszweck.",
    "trades.list": "Listet die Devisengeschäfte des Clients mit Beträgen, Kursen, Daten und Status.",
    "trades.get":
      "Liefert ein Geschäft nach seiner ID: Beträge, Kurs, Daten und Status, auf Wunsch mit seinen Zahlungen.",
    "trades.book":
      "Schließt ein Devisengeschäft zu einem vorliegenden Angebot ab und liefert Geschäfts-ID und Einzahlungskonto.",
    "transactions.watch": "Meldet neue, geänderte und entfernte Umsätze, etwa Zahlungseingänge und Gebühren.",
    "accounts.watchBalances":
      "Meldet, wenn ein Saldo eine Schwelle über- oder unterschreitet, und wenn er sich erholt.",
    "accounts.watchMargin":
      "Meldet Nachschussforderungen für Termingeschäfte: neue, geänderte und beglichene.",
    "trades.watch": "Meldet neue Geschäfte und Änderungen ihres Status.",
    "forwards.watch": "Meldet Termingeschäfte und Abrufe einige Tage vor ihrer Fälligkeit.",
  },
  oneOf: "Eines von: __options__",
  anyOf: "Beliebig viele von: __options__",
  usually: "Standard: __value__",
  eachEntry: "Jeder Eintrag von __paths__:",
  untouched: "unverändert",
  orText: " oder string",
  asItIsNow: "Im aktuellen Zustand; null, wenn der Eintrag nicht mehr existiert.",
  entry: "Der Eintrag im aktuellen Zustand; null, wenn er nicht mehr existiert.",
  body: "Der Inhalt der Antwort.",
  filename: "Der Name, den der Dienst vorschlägt, oder der Pfad, unter dem die Datei gespeichert wurde.",
  contentType: "Der Medientyp der Datei.",
  statusCode: "Der HTTP-Status der Antwort.",
  metadata:
    "Details zur Antwort, in jedem Modus: operation, status, headers, requestId, attempts, violations, total. Bei einem Aufruf, der Geld bindet, auch sein Journaleintrag und ob das Ergebnis aus dem Journal stammt. Bei einer seitenweisen Liste auch die Zahl der gelesenen Seiten und ob weitere folgen.",
  repetition: {
    read: "Der Aufruf wird wiederholt, wenn der Dienst überlastet oder kurzzeitig nicht erreichbar ist.",
    change: "Der Aufruf wird nur einmal gesendet.",
    money:
      "Der Aufruf wird nur einmal gesendet und nie wiederholt. Geht die Antwort verloren, beim Dienst prüfen, ob er ausgeführt wurde.",
  },
  paging: "Der Dienst liefert die Liste seitenweise.",
  unknownOutcome: "Geht die Antwort verloren, lautet der Fehlercode outcome_unknown.",
  sendingPages:
    "Der Node sendet eine Seite, alle Seiten als eine Nachricht, eine Nachricht je Seite oder eine Nachricht je Eintrag. Die letzten beiden bilden eine Sequenz (msg.parts), die ein Join-Node zusammenführen kann. Die nächste Seite wird erst gelesen, wenn die folgenden Nodes die Nachrichten der vorigen Seite verarbeitet haben.",
  sendingRows:
    "Der Node sendet das ganze Ergebnis als eine Nachricht oder eine Nachricht je Eintrag von __rows__. Die Nachrichten bilden eine Sequenz (msg.parts) und enthalten das übrige Ergebnis in msg.fxdesk.result. Eine leere Liste ergibt keine Nachricht.",
  asking:
    "msg.timeoutMs setzt das Zeitlimit dieses Aufrufs. Eine Nachricht mit msg.cancel löst keinen Aufruf aus: Sie bricht die Lesezugriffe dieses Nodes für die Nachrichten mit diesem msg.fxdesk.key (oder dieser _msgid) ab, mit true alle.",
  key: {
    means:
      "Der Anfrageschlüssel kennzeichnet genau diesen Aufruf, zum Beispiel durch eine Rechnungsnummer. Er wird aus msg.fxdesk.key gelesen, sofern im Formular keine andere Quelle gewählt ist",
    needed: "Ohne Schlüssel wird nichts gesendet.",
    optional: "Er ist optional.",
    usual: "Standard ist __usual__.",
    again:
      "Derselbe Aufruf mit demselben Schlüssel wird nicht erneut gesendet: Der Node gibt das gespeicherte Ergebnis aus, mit msg.fxdesk.journal.replayed gleich true. Ein anderer Aufruf mit demselben Schlüssel wird abgelehnt",
    noIdentifier:
      "Eine Nachrichten-ID wird als Schlüssel abgelehnt, weil Kopien einer Nachricht dieselbe ID haben",
  },
  filling:
    "Die Felder werden im Formular ausgefüllt. Für Werte aus der Nachricht bei einem Feld msg als Quelle wählen oder leere Felder aus den gleichnamigen Eigenschaften von msg.payload füllen lassen.",
  values:
    "Ein Feld nimmt einen festen Wert, eine Eigenschaft der Nachricht, des Flow- oder des globalen Kontexts, einen JSONata-Ausdruck, eine Umgebungsvariable oder eine Mustache-Vorlage wie {{payload.id}}. Leere Felder werden nicht gesendet.",
  caught:
    "Fehler gehen an Catch-Nodes. msg.error.message sagt, was zu tun ist, msg.error.code bleibt über Versionen hinweg gleich, und msg.error.cause enthält outcome, status, retryable, requestId, violations sowie Code, Meldung und Details des Dienstes.",
  call: {
    pages: "Listen können seitenweise geliefert werden.",
    summary: "Ruft eine beliebige Operation der Verbindung auf, auch die von Erweiterungen.",
    operation: "Name der Operation, etwa trades.list. Im Formular auswählen oder eingeben.",
    input: "Die Felder der Operation nach Namen oder als JSON-Text. Standard ist msg.payload.",
    details: [
      "Die Operationen des Vertrags haben eigene Nodes. Dieser Node ruft auch Operationen auf, die ein Erweiterungsmodul hinzufügt. Dazu FXDESK_EXTENSIONS in der Umgebung von Node-RED auf den Pfad des Moduls setzen. Die Liste im Formular zeigt alle Operationen; Wirkung und Felder der gewählten stehen darunter.",
      "Die Eingabe ist msg.payload oder der im Formular gewählte Wert: eine andere Eigenschaft der Nachricht, des Flow- oder des globalen Kontexts, JSON, ein JSONata-Ausdruck, eine Umgebungsvariable oder eine Mustache-Vorlage.",
      "Ist das Ergebnis eine Liste mit Summen oder Hinweisen, sendet der Node das ganze Ergebnis oder eine Nachricht je Eintrag mit dem Rest in msg.fxdesk.result.",
      "Eine Operation, die Geld bindet oder bewegt, wird nur einmal gesendet und nie wiederholt. Geht ihre Antwort verloren, lautet der Fehlercode outcome_unknown, und die Meldung sagt, was zu prüfen ist. Jede Operation einer Erweiterung, die kein GET ist, gilt als solche, sofern FXDESK_EXTENSION_EFFECTS sie nicht aufführt.",
      "Der Anfrageschlüssel, standardmäßig msg.fxdesk.key, kennzeichnet genau einen solchen Aufruf. Derselbe Aufruf mit demselben Schlüssel wird nicht erneut gesendet: Der Node gibt das gespeicherte Ergebnis aus. Für Zahlungen ist ein Schlüssel erforderlich.",
    ],
  },
  watch: {
    summary: "Meldet die Änderungen einer beliebigen Überwachung der Verbindung, auch die von Erweiterungen.",
    watch: "Name der Überwachung, etwa trades.watch. Im Formular auswählen oder eingeben.",
    input: "Die Felder der Überwachung nach Namen.",
    topic: "Der Name der Überwachung.",
    change:
      "Die Änderung: ihre Art (kind: new, changed oder gone), die id des Eintrags, die verglichenen Werte vor der Änderung (before), der Zeitpunkt, zu dem sie gefunden wurde (at), und ob sie schon einmal gemeldet wurde (repeated).",
    state:
      "Der Zustand der Überwachung: state (reading, waiting, held, failed, incomplete, ended), until, error mit Code und Meldung, gaps.",
    details: [
      "Die Überwachung startet mit dem Deploy, sendet eine Nachricht je Änderung und endet mit dem nächsten Deploy. Jede Änderung wird einmal gemeldet, auch über Neustarts hinweg: Der Stand liegt im Speicher unter der ID des Nodes. Änderungen, die beim Abbruch von Node-RED gerade gemeldet wurden, werden noch einmal gemeldet, mit repeated gleich true.",
      "Das Formular legt fest, ab wann die Überwachung beim ersten Mal meldet. Ändern sich ihre Felder, beginnt sie wieder dort. Fehlgeschlagene Abfragen werden nach einer Pause wiederholt, die auf bis zu fünf Minuten wächst.",
      "Ein Feld nimmt einen festen Wert, eine Umgebungsvariable oder einen Wert des Flow- oder des globalen Kontexts. Es wird einmal beim Start gelesen.",
    ],
  },
  connection: {
    summary:
      "Eine Verbindung zum Dienst. Die Nodes, die sie verwenden, teilen sich Zugangstoken, Ratenlimit und Sockets.",
    details: [
      "Ein Feld kann als ${NAME} auf eine Umgebungsvariable verweisen. Werden alle Einstellungen aus Umgebungsvariablen gelesen, bleibt das Formular leer, und der Flow lässt sich unverändert weitergeben. Die Variablen sind oben aufgeführt.",
      "Node-RED speichert Zugangsdaten verschlüsselt. Flows und Exporte enthalten sie nie.",
      "Anmelden öffnet die Anmeldeseite des Dienstes. Dafür sind ID und Geheimnis der Anwendung nötig. Nach der Anmeldung kehrt der Browser in diesen Editor zurück, nach fxdesk/connection/return unter dessen Adresse oder zur Rücksprungadresse, falls eine gesetzt ist. Diese Adresse muss für die Anwendung registriert sein. Die Token werden im Speicher abgelegt. Danach die Verbindung aktualisieren und übernehmen (deploy).",
      "Testen führt mit den Werten im Formular einen Lesezugriff aus und zeigt, ob der Dienst erreichbar ist, für welchen Client er autorisiert und in welcher Umgebung.",
    ],
  },
};

const payloadNote =
  "msg.payload beschreibt die Freigabe: release, state, terms, seal, asked_by, valid_until. msg.fxdesk.correlation ist der " +
  "Wert, den der anfordernde Flow in msg.fxdesk.correlation gesetzt hat. Andere Eigenschaften der anfordernden Nachricht werden nicht gespeichert.";
const deliveryNote =
  "Jede Änderung wird einmal gemeldet, auch über Neustarts hinweg. Wurde Node-RED während der Meldung beendet, wird sie noch " +
  "einmal gemeldet, mit msg.fxdesk.repeated gleich true.";

/** German texts of the nodes for releases and for assistants. */
export const germanNodeTexts: Readonly<
  Record<string, { label: string; summary: string; details: readonly string[] }>
> = {
  "fxdesk-release-asked": {
    label: "Freigabe angefordert",
    summary: "Meldet neue Aufträge und Aufrufe, die auf Freigabe warten.",
    details: [
      payloadNote,
      deliveryNote,
      "Zur Weiterleitung per E-Mail oder Nachricht an alle, die entscheiden. Ein Link zur Freigabeseite allein gibt nichts frei.",
    ],
  },
  "fxdesk-release-decided": {
    label: "Freigabe entschieden",
    summary: "Meldet Entscheidungen über Freigaben und danach jede Änderung ihres Status.",
    details: [
      "Statuswerte: released, refused, cancelled und expired; bei Aufträgen auch booking, booked und unknown; bei Aufrufen auch sent.",
      payloadNote,
      deliveryNote,
    ],
  },
  "fxdesk-release": {
    label: "Freigeben",
    summary:
      "Gibt einen Auftrag oder Aufruf frei oder lehnt ihn ab, im Namen der Person, deren Geheimnis der Node enthält.",
    details: [
      "Die Dateien mit Richtlinie und Personen sind in der Verbindung eingetragen. Freigabe-ID und Siegel werden aus msg.payload gelesen, sofern im Formular nichts anderes gewählt ist. Passt das Siegel nicht zu den Konditionen, wird die Entscheidung abgelehnt.",
      "Wer eine Freigabe anfordert, kann sie nicht selbst erteilen. Aber jeder, der diesen Flow ändern oder ihm eine Nachricht senden kann, entscheidet im Namen dieser Person. Nach Möglichkeit sollten Menschen auf der Freigabeseite entscheiden.",
      "msg.payload ist danach der neue Stand der Freigabe. Ungültige Entscheidungen gehen mit dem Code release_refused an Catch-Nodes.",
    ],
  },
  "fxdesk-mcp-server": {
    label: "MCP-Server",
    summary: "Stellt die Verbindung KI-Assistenten als MCP-Server bereit, unter der Adresse von Node-RED.",
    details: [
      "Assistenten verwenden die Adresse von Node-RED mit diesem Pfad, etwa http://localhost:1880/mcp, und senden das Zugangstoken als Authorization: Bearer. Wer das Token hat, kann die Werkzeuge aufrufen: ein zufälliges Token mit mindestens 16 Zeichen wählen. Ist im Formular keines eingetragen, gilt die Umgebungsvariable FXDESK_MCP_TOKEN.",
      "Werkzeuge, die etwas ändern oder Geld binden, werden nur angeboten, wenn es hier erlaubt ist. Aufrufe, die Geld binden, warten auf die Freigabe einer Person, sofern die Richtlinie der Verbindung nichts anderes vorsieht.",
      "Verlangt Node-RED für HTTP-Nodes ein eigenes Passwort (httpNodeAuth), können Assistenten den Pfad nicht aufrufen. In diesem Fall den Pfad über einen Proxy davon ausnehmen.",
    ],
  },
  "fxdesk-tool": {
    label: "Werkzeug",
    summary: "Startet einen Flow, den KI-Assistenten als Werkzeug aufrufen können.",
    details: [
      "msg.payload enthält die geprüften Argumente, msg.fxdesk kennzeichnet den Aufruf. Der Flow muss mit einem Node „Werkzeug-Ergebnis“ enden, der dieses msg.fxdesk braucht.",
      "Ein Modell wählt ein Werkzeug anhand seiner Beschreibung. Sie sollte sagen, was das Werkzeug tut und wann es das richtige ist.",
      "„Ändert Daten“ ankreuzen, wenn der Flow mehr tut als lesen. Er wird dann nur angeboten, wenn der MCP-Server Änderungen erlaubt. Ein Deploy beendet wartende Aufrufe.",
    ],
  },
  "fxdesk-tool-result": {
    label: "Werkzeug-Ergebnis",
    summary: "Beendet einen Flow, den ein KI-Assistent aufgerufen hat, und gibt msg.payload zurück.",
    details: [
      "Text wird unverändert zurückgegeben, ein Objekt als strukturierte Daten. Auch einen Catch-Node mit diesem Node verbinden: Dann erhält der Assistent bei einem Fehler die Meldung aus msg.error.",
    ],
  },
};
